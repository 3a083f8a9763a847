/* SPDX-License-Identifier: MIT */
#include "text/bench_narrow.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

/* Columns of numbers, and of the heads that are as wide as their columns. */
enum { NUMBER = 5, WRONG = 6, REDOP = 5, ROOT = 4 };

/* Widths that depend on the rows. */
struct widths {
    int size, count, type;
    int left, side; /* of the columns before the times, and of a placement */
};

static int
at_least(int columns, int other)
{
    return columns > other ? columns : other;
}

static struct widths
measure(const struct bench_part *parts, size_t nparts)
{
    static const char foot[] =
        "# , Avg bus bandwidth: 1.23e+05, #wrong: 12 FAILED";
    struct widths w = {.size = (int)strlen("# size"),
                       .count = (int)strlen("count"),
                       .type = (int)strlen("float")};

    int line = 0; /* the longest below the head */

    for (size_t i = 0; i < nparts; i++) {
        line = at_least((int)strlen(foot) + utf8_columns(parts[i].name), line);
        for (size_t k = 0; k < parts[i].nrows; k++) {
            const struct bench_row *row = &parts[i].rows[k];
            w.size = at_least(snprintf(NULL, 0, "%" PRId64, row->bytes),
                              w.size);
            w.count = at_least(snprintf(NULL, 0, "%" PRId64, row->count),
                               w.count);
            w.type = at_least((int)strlen(bench_type_name(row->type)),
                              w.type);
        }
    }
    w.side = 3 * (NUMBER + 1) + WRONG + 1;
    w.left = w.size + w.count + w.type + REDOP + ROOT + 4;
    if (line > w.left + 2 * w.side) {
        w.count += line - w.left - 2 * w.side;
        w.left = line - 2 * w.side;
    }
    return w;
}

static void
pad(struct buf *out, const char *text, int columns)
{
    buf_puts(out, text);
    for (int i = utf8_columns(text); i < columns; i++)
        buf_putc(out, ' ');
}

static void
add_head(const char *title, const struct widths *w, struct buf *out)
{
    const char *const sides[] = {"out-of-place", "in-place"};
    struct buf left = {0};

    buf_addf(&left, "# %s", title);
    pad(out, buf_text(&left), w->left);
    for (int i = 0; i < 2; i++) {
        int end = (w->side + (int)strlen(sides[i])) / 2 + 1;
        buf_addf(out, "%*s%*s", end, sides[i], w->side - end, "");
    }
    buf_addf(out, "\n#%*s %*s %*s %*s %*s", w->size - 1, "size", w->count,
             "count", w->type, "type", REDOP, "redop", ROOT, "root");
    for (int i = 0; i < 2; i++)
        buf_addf(out, " %*s %*s %*s %*s", NUMBER, "time", NUMBER, "algbw",
                 NUMBER, "busbw", WRONG, "#wrong");
    buf_addf(out, "\n#%*s%*s", w->size - 1, "(B)", w->left - w->size, "");
    for (int i = 0; i < 2; i++)
        buf_addf(out, "%*s%*s%*s%*s", NUMBER + 1, "(us)", NUMBER + 1, "(GB/s)",
                 NUMBER + 1, "(GB/s)", WRONG + 1, "");
    buf_done(&left);
}

static void
add_side(const struct bench_side *side, struct buf *out)
{
    const double numbers[] = {side->us, side->algbw, side->busbw};

    for (int i = 0; i < 3; i++) {
        buf_putc(out, ' ');
        bench_number(numbers[i], NUMBER, out);
    }
    if (side->wrong == BENCH_NOT_CHECKED)
        buf_addf(out, " %*s", WRONG, "N/A");
    else
        buf_addf(out, " %*g", WRONG, (double)side->wrong);
}

static bool
is_checked(const struct bench_part *part)
{
    for (size_t i = 0; i < part->nrows; i++)
        if (part->rows[i].out.wrong != BENCH_NOT_CHECKED ||
            part->rows[i].in.wrong != BENCH_NOT_CHECKED)
            return true;
    return false;
}

static void
add_part(const struct bench_part *part, const struct widths *w,
         struct buf *out)
{
    struct bench_total total = {0};
    struct buf line = {0};

    for (size_t i = 0; i < part->nrows; i++)
        bench_total_add(&total, &part->rows[i]);
    buf_addf(&line, "# %s, Avg bus bandwidth: %.3g, #wrong: ", part->name,
             bench_total_busbw(&total));
    if (is_checked(part))
        buf_addf(&line, "%d %s", total.wrong,
                 total.wrong > 0 ? "FAILED" : "OK");
    else
        buf_puts(&line, "N/A");
    buf_putc(out, '\n');
    pad(out, buf_text(&line), w->left + 2 * w->side);
    for (size_t i = 0; i < part->nrows; i++) {
        const struct bench_row *row = &part->rows[i];
        buf_addf(out, "\n%*" PRId64 " %*" PRId64 " %*s %*s %*d", w->size,
                 row->bytes, w->count, row->count, w->type,
                 bench_type_name(row->type), REDOP, row->redop, ROOT,
                 row->root);
        add_side(&row->out, out);
        add_side(&row->in, out);
    }
    buf_done(&line);
}

int
bench_narrow_columns(const struct bench_part *parts, size_t nparts)
{
    struct widths w = measure(parts, nparts);

    return w.left + 2 * w.side;
}

void
bench_narrow(const char *title, const struct bench_part *parts,
             size_t nparts, struct buf *out)
{
    struct widths w = measure(parts, nparts);

    add_head(title, &w, out);
    for (size_t i = 0; i < nparts; i++)
        add_part(&parts[i], &w, out);
}
