/* SPDX-License-Identifier: MIT */
/* What is between the columns of the view stages: the lines of ranks, the rungs
 * of a step, and its data on its way.  In a crowded step only what the words
 * are about is lit. */
#ifndef VIEW_STAGES_GAPS_H
#define VIEW_STAGES_GAPS_H

#include "view/stages_layout.h"

/* Draws the lines and rungs before the column of a step. */
void stages_gap_draw(const struct stages *g, const struct scene *s, int step,
                     struct canvas *c);

/* Draws the blocks of the step in flight, if its gap is shown. */
void stages_flights_draw(const struct stages *g, const struct scene *s,
                         struct canvas *c);

#endif
