/* SPDX-License-Identifier: MIT */
#include "draw/badge.h"

#include "base/buf.h"
#include "base/translate.h"
#include "base/utf8.h"

int
badge_draw(const struct holdup *h, int rank, enum glyph_set set,
           struct canvas *c, struct point at, int room)
{
    const struct held_rank *held = &h->ranks[rank];
    bool pulse = h->awaited_ns / HOLDUP_PULSE_NS % 2 == 0;
    struct pen pen = {.fg = h->forever ? ROLE_WARNING : ROLE_CURRENT,
                      .attrs = ATTR_BOLD};
    struct buf words = {0};
    char name[SCENE_NAME_MAX];
    int columns = 1;

    if (!holdup_has(h, rank) || room < 1)
        return 0;
    if (!held->guilty) {
        canvas_put(c, at.x, at.y, glyph(set, GLYPH_LEFT),
                   pulse ? (struct pen){.attrs = ATTR_BOLD}
                         : (struct pen){.fg = ROLE_QUIET});
        buf_puts(&words, scene_rank_name(held->waits_for, name));
        pen = (struct pen){0};
    } else {
        canvas_put(c, at.x, at.y, h->forever ? '!' : glyph(set, GLYPH_CLOCK),
                   pen);
        if (h->forever)
            buf_puts(&words, _("for ever"));
        else if (h->awaited_ns > 0)
            buf_addf(&words, _("%lld s"),
                     (long long)(h->awaited_ns / 1000000000));
    }
    if (words.length > 0 && utf8_columns(buf_text(&words)) + 2 <= room) {
        canvas_put(c, at.x + 1, at.y, ' ', pen);
        columns += 1 + canvas_puts(c, at.x + 2, at.y, buf_text(&words), pen);
    }
    buf_done(&words);
    return columns;
}
