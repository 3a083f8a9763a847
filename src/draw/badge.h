/* SPDX-License-Identifier: MIT */
/* Badges of ranks in a run that is held up (model/holdup.h): a clock and the
 * time awaited for a rank that holds others up, or a warning if it does so for
 * ever; for each of the others, whom it waits for, after an arrow that pulses.
 *
 *     ◷ 3 s        ! for ever        ◀ GPU 2
 */
#ifndef DRAW_BADGE_H
#define DRAW_BADGE_H

#include "draw/glyph.h"
#include "model/holdup.h"

/* Draws a rank's badge in at most `room` columns; only its sign if there is no
 * room for more.  Returns the columns that it takes; 0: the rank has none. */
int badge_draw(const struct holdup *h, int rank, enum glyph_set set,
               struct canvas *c, struct point at, int room);

#endif
