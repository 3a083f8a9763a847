/* SPDX-License-Identifier: MIT */
/* What others ask the view stages. */
#ifndef VIEW_STAGES_H
#define VIEW_STAGES_H

#include "view/view.h"

/* Whether there is room for all stages: only then they explain a run. */
bool stages_are_all_shown(const struct scene *s, struct rect area);

#endif
