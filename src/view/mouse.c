/* SPDX-License-Identifier: MIT */
#include "view/mouse.h"

#include "draw/layout.h"
#include "view/panes.h"
#include "view/progress.h"

struct mouse_target
mouse_at(const struct scene *s, int columns, int rows, struct point at)
{
    struct layout l;
    int number;

    if (!layout(columns, rows, s->panel != NULL, &l) ||
        s->world->schedule == NULL || !world_step_complete(s->world, 0))
        return (struct mouse_target){MOUSE_NOTHING, 0};
    if (at.y == l.progress && (number = progress_at(s, &l, at.x)) > 0)
        return (struct mouse_target){MOUSE_STEP, number};
    if ((number = panes_rank_at(s, l.picture, at)) >= 0)
        return (struct mouse_target){MOUSE_RANK, number};
    return (struct mouse_target){MOUSE_NOTHING, 0};
}
