/* SPDX-License-Identifier: MIT */
/* The characters used in pictures, in each of the three sets of
 * base/glyph_set.h. */
#ifndef DRAW_GLYPH_H
#define DRAW_GLYPH_H

#include <stdint.h>

#include "base/glyph_set.h"
#include "draw/canvas.h"

/* The glyphs: the name and the character in each set. */
#define GLYPH_TABLE(X)                                                         \
    X(HORIZONTAL, U'─', U'─', '-')                                             \
    X(VERTICAL, U'│', U'│', '|')                                               \
    X(THICK, U'┃', U'║', '|')                                                  \
    X(TOP_LEFT, U'╭', U'┌', '+') /* corners */                                 \
    X(TOP_RIGHT, U'╮', U'┐', '+')                                              \
    X(BOTTOM_LEFT, U'╰', U'└', '+')                                            \
    X(BOTTOM_RIGHT, U'╯', U'┘', '+')                                           \
    X(UP, U'▲', U'▲', '^') /* arrowheads */                                    \
    X(DOWN, U'▼', U'▼', 'v')                                                   \
    X(LEFT, U'◀', U'◄', '<')                                                   \
    X(RIGHT, U'▶', U'►', '>')                                                  \
    X(UPPER_HALF, U'▀', U'▀', '"') /* two colours, one above the other */      \
    X(LOWER_HALF, U'▄', U'▄', '=')                                             \
    X(STRIPE, U'▌', U'▌', '|') /* two colours side by side in one cell */      \
    X(SENDS, U'›', U'»', '>') /* beside a slot that is sent */                 \
    X(WAITS, U'▒', U'▒', '~') /* on the timeline, up to the step shown */      \
    X(WILL_WAIT, U'░', U'░', '-') /* on the timeline, after the step shown */  \
    X(CLOCK, U'◷', '@', '@') /* a rank that holds others up */                 \
    X(LOST, U'╳', 'X', 'X') /* data that was dropped */                        \
    X(CUT, U'┊', U'│', '|') /* on the timeline, a pause that is cut out */     \
    X(EMPTY, U'·', U'·', '.')                                                  \
    X(DONE, U'━', U'═', '=') /* progress: done, the current step, the rest */  \
    X(HERE, U'●', U'■', 'o')                                                   \
    X(AHEAD, U'┄', U'─', '-')                                                  \
    X(YES, U'✓', '+', '+') /* right and wrong */                               \
    X(NO, U'✗', 'x', 'x')                                                      \
    X(FULL, U'█', U'█', '#') /* a bar: its filled and its empty part */        \
    X(TROUGH, U'░', U'░', '.')                                                 \
    X(TICK_ACROSS, U'┬', U'┬', '+') /* ticks of axes */                        \
    X(TICK_UP, U'┤', U'┤', '+')                                                \
    X(FALLING, U'╲', '\\', '\\') /* slanting lines */                          \
    X(RISING, U'╱', '/', '/')                                                  \
    X(CROSSING, U'✕', 'x', 'x') /* two curves cross */                         \
    X(MARK, U'●', 'A', 'A') /* GLYPH_MARKS, which tell curves apart */         \
    X(MARK_2, U'■', 'B', 'B')                                                  \
    X(MARK_3, U'▲', 'C', 'C')                                                  \
    X(MARK_4, U'◆', 'D', 'D')                                                  \
    X(MARK_5, U'○', 'E', 'E')                                                  \
    X(MARK_6, U'□', 'F', 'F')                                                  \
    X(MARK_7, U'△', 'G', 'G')                                                  \
    X(MARK_LAST, U'◇', 'H', 'H')

enum glyph {
#define X(name, full, console, ascii) GLYPH_##name,
    GLYPH_TABLE(X)
#undef X
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
