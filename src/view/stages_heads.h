/* SPDX-License-Identifier: MIT */
/* The rows over the view stages: what each step does, the phases, and how many
 * columns are left out. */
#ifndef VIEW_STAGES_HEADS_H
#define VIEW_STAGES_HEADS_H

#include "view/stages_layout.h"

/* Draws them up to column `end`. */
void stages_heads_draw(const struct stages *g, const struct scene *s, int end,
                       struct canvas *c);

#endif
