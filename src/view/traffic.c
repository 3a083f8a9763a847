/* SPDX-License-Identifier: MIT */
#include "view/traffic.h"

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "text/text.h"

/* One bar with two blanks on each side, or two small ones. */
enum { BAR_COLUMNS = 12, SMALL_BAR_COLUMNS = 5, GAP = 2, SMALL_GAP = 1 };

static struct amount
most_of(const int64_t *now, const int64_t *total, int nranks)
{
    struct amount most = {0, 0};

    for (int rank = 0; rank < nranks; rank++) {
        most.now = now[rank] > most.now ? now[rank] : most.now;
        most.total = total[rank] > most.total ? total[rank] : most.total;
    }
    return most;
}

struct traffic
traffic_of(const struct world *w)
{
    const struct schedule *s = w->schedule;
    int64_t data = w->run->count * (int64_t)dtype_size(w->run->type);
    struct traffic t = {
        .even = true,
        .sent = most_of(w->sent, w->to_send, s->nranks),
        .received = most_of(w->received, w->to_receive, s->nranks),
        .formula = s->collective->least_formula};

    for (int rank = 0; rank < s->nranks; rank++)
        t.even = t.even && w->to_send[rank] == t.sent.total &&
                 w->to_receive[rank] == t.sent.total;
    t.optimum =
        (int64_t)((double)data * s->collective->least_sent(s->nranks) + 0.5);
    return t;
}

static void
draw_bar(struct canvas *c, enum glyph_set set, struct rect at,
         const struct amount *a)
{
    int filled = a->total > 0 ? (int)(a->now * at.width / a->total) : 0;

    canvas_fill(c, at.x, at.y, filled, glyph(set, GLYPH_FULL),
                (struct pen){0});
    canvas_fill(c, at.x + filled, at.y, at.width - filled,
                glyph(set, GLYPH_TROUGH), (struct pen){.fg = ROLE_QUIET});
}

/* Adds "sent: 8 B of 32 B", always in the same width, so that the rest of the
 * line does not move. */
static void
add_amount(const struct amount *a, const char *format, struct buf *out)
{
    enum { WIDEST = sizeof "1.97 KiB" - 1 };
    struct buf now = {0}, total = {0}, padded = {0};
    int width;

    text_bytes(a->now, &now);
    text_bytes(a->total, &total);
    width = a->total < 1000 ? utf8_columns(buf_text(&total)) : WIDEST;
    buf_addf(&padded, "%*s", width, buf_text(&now));
    buf_addf(out, format, buf_text(&padded), buf_text(&total));
    buf_done(&now);
    buf_done(&total);
    buf_done(&padded);
}

/* Draws an amount and its bar in a row, as far as there is room. Returns the
 * columns with the blanks after it. */
static int
draw_amount(struct canvas *c, enum glyph_set set, struct rect row,
            const struct amount *a, const char *format, bool small)
{
    int gap = small ? SMALL_GAP : GAP;
    struct rect bar = {.y = row.y,
                       .width = small ? SMALL_BAR_COLUMNS : BAR_COLUMNS};
    struct buf text = {0};
    int columns;

    add_amount(a, format, &text);
    columns = utf8_columns(buf_text(&text));
    bar.x = row.x + columns + gap;
    if (columns <= row.width)
        canvas_puts(c, row.x, row.y, buf_text(&text), (struct pen){0});
    if (bar.x + bar.width <= row.x + row.width)
        draw_bar(c, set, bar, a);
    buf_done(&text);
    return columns + gap + bar.width + GAP;
}

/* Adds the optimum, in full if there is room, else shortened. */
static void
add_optimum(const struct traffic *t, int room, struct buf *out)
{
    struct buf bytes = {0};

    text_bytes(t->optimum, &bytes);
    buf_addf(out, _("optimum %1$s of its data: %2$s"), t->formula,
             buf_text(&bytes));
    if (utf8_columns(buf_text(out)) > room) {
        buf_clear(out);
        buf_addf(out, _("optimum %1$s: %2$s"), t->formula, buf_text(&bytes));
    }
    if (utf8_columns(buf_text(out)) > room) {
        buf_clear(out);
        buf_addf(out, _("optimum %s"), buf_text(&bytes));
    }
    buf_done(&bytes);
}

void
traffic_draw(const struct scene *s, struct canvas *c, const struct layout *l)
{
    struct traffic t = traffic_of(s->world);
    struct rect row = {l->margin, l->traffic, l->width, 1};
    struct buf text = {0};
    int used;

    if (l->traffic < 0)
        return;
    used = draw_amount(c, s->glyphs, row, &t.sent,
                       t.even ? _("sent per GPU: %1$s of %2$s")
                              : _("most sent: %1$s of %2$s"), !t.even);
    row.x += used;
    row.width -= used;
    if (!t.even) {
        used = draw_amount(c, s->glyphs, row, &t.received,
                           _("received: %1$s of %2$s"), true);
        row.x += used;
        row.width -= used;
    }
    add_optimum(&t, row.width, &text);
    if (utf8_columns(buf_text(&text)) <= row.width)
        canvas_puts(c, row.x, row.y, buf_text(&text),
                    (struct pen){.fg = ROLE_QUIET});
    buf_done(&text);
}
