/* SPDX-License-Identifier: MIT */
#include "draw/glyph.h"

static const uint32_t glyphs[GLYPHS][GLYPH_SETS] = {
#define X(name, full, console, ascii) {full, console, ascii},
    GLYPH_TABLE(X)
#undef X
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
