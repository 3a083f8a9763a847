/* SPDX-License-Identifier: MIT */
#include "draw/glyph.h"

static const uint32_t glyphs[GLYPHS][GLYPH_SETS] = {
    [GLYPH_HORIZONTAL] = {0x2500, 0x2500, '-'}, /* ─ */
    [GLYPH_VERTICAL] = {0x2502, 0x2502, '|'},   /* │ */
    [GLYPH_THICK] = {0x2503, 0x2551, '|'},      /* ┃ ║ */
    [GLYPH_TOP_LEFT] = {0x256d, 0x250c, '+'},   /* ╭ ┌ */
    [GLYPH_TOP_RIGHT] = {0x256e, 0x2510, '+'},
    [GLYPH_BOTTOM_LEFT] = {0x2570, 0x2514, '+'},
    [GLYPH_BOTTOM_RIGHT] = {0x256f, 0x2518, '+'},
    [GLYPH_UP] = {0x25b2, 0x25b2, '^'}, /* ▲ */
    [GLYPH_DOWN] = {0x25bc, 0x25bc, 'v'},
    [GLYPH_LEFT] = {0x25c0, 0x25c4, '<'}, /* ◀ ◄ */
    [GLYPH_RIGHT] = {0x25b6, 0x25ba, '>'},
    [GLYPH_UPPER_HALF] = {0x2580, 0x2580, '"'}, /* ▀ */
    [GLYPH_LOWER_HALF] = {0x2584, 0x2584, '='}, /* ▄ */
    [GLYPH_STRIPE] = {0x258c, 0x258c, '|'},
    [GLYPH_SENDS] = {0x203a, 0x00bb, '>'}, /* › » */
    [GLYPH_WAITS] = {0x2592, 0x2592, '~'}, /* ▒ */
    [GLYPH_WILL_WAIT] = {0x2591, 0x2591, '-'}, /* ░ */
    [GLYPH_CLOCK] = {0x25f7, '@', '@'},    /* ◷ */
    [GLYPH_LOST] = {0x2573, 'X', 'X'},     /* ╳ */
    [GLYPH_CUT] = {0x250a, 0x2502, '|'},   /* ┊ │ */
    [GLYPH_EMPTY] = {0x00b7, 0x00b7, '.'}, /* · */
    [GLYPH_DONE] = {0x2501, 0x2550, '='},  /* ━ ═ */
    [GLYPH_HERE] = {0x25cf, 0x25a0, 'o'},  /* ● ■ */
    [GLYPH_AHEAD] = {0x2504, 0x2500, '-'}, /* ┄ ─ */
    [GLYPH_YES] = {0x2713, '+', '+'},      /* ✓ */
    [GLYPH_NO] = {0x2717, 'x', 'x'},       /* ✗ */
    [GLYPH_FULL] = {0x2588, 0x2588, '#'}, /* █ */
    [GLYPH_TROUGH] = {0x2591, 0x2591, '.'}, /* ░ */
    [GLYPH_TICK_ACROSS] = {0x252c, 0x252c, '+'}, /* ┬ */
    [GLYPH_TICK_UP] = {0x2524, 0x2524, '+'},     /* ┤ */
    [GLYPH_FALLING] = {0x2572, '\\', '\\'},      /* ╲ */
    [GLYPH_RISING] = {0x2571, '/', '/'},         /* ╱ */
    [GLYPH_CROSSING] = {0x2715, 'x', 'x'},       /* ✕ */
    [GLYPH_MARK + 0] = {0x25cf, 'A', 'A'},       /* ● */
    [GLYPH_MARK + 1] = {0x25a0, 'B', 'B'},       /* ■ */
    [GLYPH_MARK + 2] = {0x25b2, 'C', 'C'},       /* ▲ */
    [GLYPH_MARK + 3] = {0x25c6, 'D', 'D'},       /* ◆ */
    [GLYPH_MARK + 4] = {0x25cb, 'E', 'E'},       /* ○ */
    [GLYPH_MARK + 5] = {0x25a1, 'F', 'F'},       /* □ */
    [GLYPH_MARK + 6] = {0x25b3, 'G', 'G'},       /* △ */
    [GLYPH_MARK + 7] = {0x25c7, 'H', 'H'},       /* ◇ */
};

uint32_t
glyph(enum glyph_set set, enum glyph g)
{
    return glyphs[g][set];
}

void
glyph_frame(struct canvas *c, enum glyph_set set, struct rect r,
            struct pen pen)
{
    int right = r.x + r.width - 1, bottom = r.y + r.height - 1;

    canvas_fill(c, r.x + 1, r.y, r.width - 2, glyph(set, GLYPH_HORIZONTAL),
                pen);
    canvas_fill(c, r.x + 1, bottom, r.width - 2,
                glyph(set, GLYPH_HORIZONTAL), pen);
    for (int y = r.y + 1; y < bottom; y++) {
        canvas_put(c, r.x, y, glyph(set, GLYPH_VERTICAL), pen);
        canvas_put(c, right, y, glyph(set, GLYPH_VERTICAL), pen);
    }
    canvas_put(c, r.x, r.y, glyph(set, GLYPH_TOP_LEFT), pen);
    canvas_put(c, right, r.y, glyph(set, GLYPH_TOP_RIGHT), pen);
    canvas_put(c, r.x, bottom, glyph(set, GLYPH_BOTTOM_LEFT), pen);
    canvas_put(c, right, bottom, glyph(set, GLYPH_BOTTOM_RIGHT), pen);
}

void
glyph_bar(struct canvas *c, enum glyph_set set, struct rect at, int64_t done,
          int64_t all, struct pen pen)
{
    int filled = done < all ? (int)(done * at.width / all)
                            : all > 0 ? at.width : 0;

    canvas_fill(c, at.x, at.y, filled, glyph(set, GLYPH_FULL), pen);
    canvas_fill(c, at.x + filled, at.y, at.width - filled,
                glyph(set, GLYPH_TROUGH), (struct pen){.fg = ROLE_QUIET});
}
