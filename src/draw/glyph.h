/* SPDX-License-Identifier: MIT */
/* The characters that pictures are made of, in the three sets of
 * base/glyph_set.h. */
#ifndef DRAW_GLYPH_H
#define DRAW_GLYPH_H

#include <stdint.h>

#include "base/glyph_set.h"
#include "draw/canvas.h"

enum glyph {
    GLYPH_HORIZONTAL,
    GLYPH_VERTICAL,
    GLYPH_TOP_LEFT, /* corners */
    GLYPH_TOP_RIGHT,
    GLYPH_BOTTOM_LEFT,
    GLYPH_BOTTOM_RIGHT,
    GLYPH_UP, /* arrowheads */
    GLYPH_DOWN,
    GLYPH_LEFT,
    GLYPH_RIGHT,
    GLYPH_BLOCK_BEGIN, /* ends of a block, and where two of them join */
    GLYPH_BLOCK_JOIN,
    GLYPH_BLOCK_END,
    GLYPH_BLOCK_BEGIN_2, /* with the other pattern */
    GLYPH_BLOCK_END_2,
    GLYPH_STRIPE, /* two colours in a cell */
    GLYPH_SENDS, /* marks beside a slot */
    GLYPH_WAITS, /* on the timeline, up to the step shown; after it */
    GLYPH_WILL_WAIT,
    GLYPH_CUT, /* a pause that is left out */
    GLYPH_EMPTY,
    GLYPH_DONE, /* progress: behind, here, ahead */
    GLYPH_HERE,
    GLYPH_AHEAD,
    GLYPH_FULL, /* a bar */
    GLYPH_TROUGH,
    GLYPH_LEVEL, /* GLYPH_LEVELS of them, from little to full */
    GLYPHS = GLYPH_LEVEL + 8
};

enum { GLYPH_LEVELS = 8 };

uint32_t glyph(enum glyph_set set, enum glyph g);

/* The level for `part` of `whole`: lowest for any part above 0, full only for
 * the whole. */
uint32_t glyph_level(enum glyph_set set, double part, double whole);

/* A frame just inside of `r`. */
void glyph_frame(struct canvas *c, enum glyph_set set, struct rect r,
                 struct pen pen);

#endif
