/* SPDX-License-Identifier: MIT */
/* The characters used in pictures, in each of the three sets of
 * base/glyph_set.h. */
#ifndef DRAW_GLYPH_H
#define DRAW_GLYPH_H

#include <stdint.h>

#include "base/glyph_set.h"
#include "draw/canvas.h"

enum glyph {
    GLYPH_HORIZONTAL,
    GLYPH_VERTICAL,
    GLYPH_THICK,    /* vertical */
    GLYPH_TOP_LEFT, /* corners */
    GLYPH_TOP_RIGHT,
    GLYPH_BOTTOM_LEFT,
    GLYPH_BOTTOM_RIGHT,
    GLYPH_UP, /* arrowheads */
    GLYPH_DOWN,
    GLYPH_LEFT,
    GLYPH_RIGHT,
    GLYPH_STRIPE,    /* two colours side by side in one cell */
    GLYPH_UPPER_HALF, /* two colours, one above the other */
    GLYPH_LOWER_HALF,
    GLYPH_SENDS,     /* beside a slot that is sent */
    GLYPH_WAITS,     /* on the timeline, up to the step shown */
    GLYPH_WILL_WAIT, /* on the timeline, after the step shown */
    GLYPH_CLOCK,     /* a rank that holds others up */
    GLYPH_LOST,      /* data that was dropped, where it should have arrived */
    GLYPH_CUT,       /* on the timeline, a pause that is cut out */
    GLYPH_EMPTY,
    GLYPH_DONE, /* progress: the part done, the current step, the rest */
    GLYPH_HERE,
    GLYPH_AHEAD,
    GLYPH_YES, /* right and wrong */
    GLYPH_NO,
    GLYPH_FULL, /* a bar: its filled and its empty part */
    GLYPH_TROUGH,
    GLYPH_TICK_ACROSS, /* ticks of a horizontal axis, of a vertical axis */
    GLYPH_TICK_UP,
    GLYPH_FALLING, /* slanting lines */
    GLYPH_RISING,
    GLYPH_CROSSING, /* two curves cross */
    GLYPH_MARK,     /* the first of GLYPH_MARKS, which tell curves apart */
    GLYPH_MARK_LAST = GLYPH_MARK + 7,
    GLYPHS
};

enum { GLYPH_MARKS = 8 };

uint32_t glyph(enum glyph_set set, enum glyph g);

/* Draws a frame along the inner edge of `r`. */
void glyph_frame(struct canvas *c, enum glyph_set set, struct rect r,
                 struct pen pen);

/* Draws a bar on one row of `at`: how much is done of all. */
void glyph_bar(struct canvas *c, enum glyph_set set, struct rect at,
               int64_t done, int64_t all, struct pen pen);

#endif
