/* SPDX-License-Identifier: MIT */
#include "text/promises.h"

#include "base/translate.h"
#include "base/utf8.h"
#include "schedule/collective.h"

enum { COLUMNS = 5 };
static const int widths[COLUMNS - 1] = {18, 11, 11, 10};

static void
add_row(const char *const fields[COLUMNS], struct buf *out)
{
    for (int i = 0; i < COLUMNS; i++) {
        buf_puts(out, fields[i]);
        for (int at = utf8_columns(fields[i]);
             i < COLUMNS - 1 && at < widths[i]; at++)
            buf_putc(out, ' ');
    }
    buf_putc(out, '\n');
}

static const char *
at_text(enum collective_at at)
{
    return at == AT_ROOT ? _("the root") : _("all ranks");
}

static void
add_parts(const struct collective *c, struct buf *out)
{
    buf_addf(out, "%s -> %s", c->input == UNITS_ONE ? "1" : "N",
             c->output == UNITS_ONE ? "1" : "N");
}

static void
add_promise(const struct collective *c, struct buf *out)
{
    struct buf parts = {0};

    add_parts(c, &parts);
    add_row((const char *const[COLUMNS]){_(c->title), at_text(c->input_at),
                                         at_text(c->output_at),
                                         buf_text(&parts),
                                         c->reduces ? "+" : "-"},
            out);
    buf_addf(out, "    %s\n", _(c->what));
    buf_done(&parts);
}

void
promises_text(struct buf *out)
{
    const struct collective *c;

    add_row((const char *const[COLUMNS]){"", _("from"), _("to"), _("parts"),
                                         _("adds up")},
            out);
    for (int i = 0; (c = collective_at(i)) != NULL; i++)
        add_promise(c, out);
    buf_addf(out, "%s\n", _("1 -> N: a rank that gives puts in one part, a "
                            "rank that gets ends with N."));
}
