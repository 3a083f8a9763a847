/* SPDX-License-Identifier: MIT */
/* The line of progress: the phases, each with a track whose length is
 * proportional to its steps, and the current step.
 *
 *     reduce-scatter ━━━━━━●┄┄┄┄┄┄ all-gather ┄┄┄┄┄┄┄┄┄┄┄┄┄   step 1/4 */
#ifndef VIEW_PROGRESS_H
#define VIEW_PROGRESS_H

#include "draw/canvas.h"
#include "draw/layout.h"
#include "model/scene.h"

void progress_draw(const struct scene *s, struct canvas *c,
                   const struct layout *l);

/* The step at column x of the line, or 0. */
int progress_at(const struct scene *s, const struct layout *l, int x);

#endif
