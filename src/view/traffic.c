/* SPDX-License-Identifier: MIT */
#include "view/traffic.h"

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "text/text.h"

enum { BAR_COLUMNS = 12 };

struct traffic
traffic_of(const struct world *w)
{
    const struct schedule *s = w->schedule;
    int64_t data = w->run->count * (int64_t)dtype_size(w->run->type);
    struct traffic t = {.even = true,
                        .formula = s->collective->least_formula};
    int busiest = 0;

    for (int rank = 1; rank < s->nranks; rank++) {
        t.even = t.even && w->to_send[rank] == w->to_send[0];
        if (w->to_send[rank] > w->to_send[busiest])
            busiest = rank;
    }
    t.sent = w->sent[busiest];
    t.total = w->to_send[busiest];
    t.optimum =
        (int64_t)((double)data * s->collective->least_sent(s->nranks) + 0.5);
    return t;
}

static void
draw_bar(struct canvas *c, enum glyph_set set, int x, int y,
         const struct traffic *t)
{
    int filled =
        t->total > 0 ? (int)(t->sent * BAR_COLUMNS / t->total) : 0;

    canvas_fill(c, x, y, filled, glyph(set, GLYPH_FULL), (struct pen){0});
    canvas_fill(c, x + filled, y, BAR_COLUMNS - filled,
                glyph(set, GLYPH_TROUGH), (struct pen){.fg = ROLE_QUIET});
}

/* Adds "  8 B of 32 B", always in the same width, so that the rest of the line
 * does not move. */
static void
add_sent(const struct traffic *t, struct buf *out)
{
    enum { WIDEST = sizeof "1.97 KiB" - 1 };
    struct buf sent = {0}, total = {0}, padded = {0};
    int width;

    text_bytes(t->sent, &sent);
    text_bytes(t->total, &total);
    width = t->total < 1000 ? utf8_columns(buf_text(&total)) : WIDEST;
    buf_addf(&padded, "%*s", width, buf_text(&sent));
    buf_addf(out, t->even ? _("sent per GPU: %1$s of %2$s")
                          : _("sent by the busiest: %1$s of %2$s"),
             buf_text(&padded), buf_text(&total));
    buf_done(&sent);
    buf_done(&total);
    buf_done(&padded);
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
    buf_done(&bytes);
}

void
traffic_draw(const struct scene *s, struct canvas *c, const struct layout *l)
{
    struct traffic t = traffic_of(s->world);
    struct buf text = {0};
    int x = l->margin, room;

    if (l->traffic < 0)
        return;
    add_sent(&t, &text);
    x += canvas_puts(c, x, l->traffic, buf_text(&text), (struct pen){0}) + 2;
    if (x + BAR_COLUMNS <= l->margin + l->width)
        draw_bar(c, s->glyphs, x, l->traffic, &t);
    x += BAR_COLUMNS + 2;
    room = l->margin + l->width - x;
    buf_clear(&text);
    add_optimum(&t, room, &text);
    if (utf8_columns(buf_text(&text)) <= room)
        canvas_puts(c, x, l->traffic, buf_text(&text),
                    (struct pen){.fg = ROLE_QUIET});
    buf_done(&text);
}
