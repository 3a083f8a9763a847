/* SPDX-License-Identifier: MIT */
/* What stands round the bars of the view timeline: the numbers of steps above
 * them, durations or a ruler and the legend below, the names of ranks on the
 * left, and on the right how long each of them waited. */
#ifndef VIEW_TIMELINE_HEADS_H
#define VIEW_TIMELINE_HEADS_H

#include "view/timeline_layout.h"

void timeline_heads_draw(const struct timeline *t);

#endif
