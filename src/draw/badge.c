/* SPDX-License-Identifier: MIT */
#include "draw/badge.h"

#include "base/buf.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"

/* The words after the sign; "" if there are none. */
static void
add_words(const struct holdup *h, int rank, struct buf *out)
{
    const struct held_rank *held = &h->ranks[rank];
    char name[SCENE_NAME_MAX];

    if (!held->guilty)
        buf_puts(out, scene_rank_name(held->waits_for, name));
    else if (h->forever)
        buf_puts(out, _("for ever"));
    else if (h->awaited_ns > 0)
        buf_addf(out, _("%lld s"), (long long)(h->awaited_ns / 1000000000));
}

/* The arrow of a rank that waits pulses. */
static struct pen
pen_of(const struct holdup *h, const struct held_rank *held)
{
    if (held->guilty)
        return (struct pen){.fg = h->forever ? ROLE_WARNING : ROLE_CURRENT,
                            .attrs = ATTR_BOLD};
    if (h->awaited_ns / HOLDUP_PULSE_NS % 2 == 0)
        return (struct pen){.attrs = ATTR_BOLD};
    return (struct pen){.fg = ROLE_QUIET};
}

int
badge_draw(const struct holdup *h, int rank, enum glyph_set set,
           struct canvas *c, struct point at, int room)
{
    const struct held_rank *held = &h->ranks[rank];
    struct pen pen = pen_of(h, held);
    uint32_t sign = !held->guilty ? glyph(set, GLYPH_LEFT)
                    : h->forever  ? '!'
                                  : glyph(set, GLYPH_CLOCK);
    struct buf words = {0};
    int columns = 1;

    if (!holdup_has(h, rank) || room < 1)
        return 0;
    canvas_put(c, at.x, at.y, sign, pen);
    pen.fg = held->guilty ? pen.fg : ROLE_TEXT;
    pen.attrs = held->guilty ? pen.attrs : 0;
    add_words(h, rank, &words);
    if (words.length > 0 && utf8_columns(buf_text(&words)) + 2 <= room) {
        canvas_put(c, at.x + 1, at.y, ' ', pen);
        columns += 1 + canvas_puts(c, at.x + 2, at.y, buf_text(&words), pen);
    }
    buf_done(&words);
    return columns;
}
