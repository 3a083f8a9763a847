/* SPDX-License-Identifier: MIT */
#include "view/mouse.h"

#include "draw/layout.h"
#include "view/progress.h"
#include "view/view.h"


struct mouse_target
mouse_at(const struct scene *s, int columns, int rows, struct point at)
{
    const struct view *view;
    struct layout l;
    int number;

    if (!layout(columns, rows, s->panel != NULL, &l) ||
        s->world->schedule == NULL || !world_step_complete(s->world, 0))
        return (struct mouse_target){MOUSE_NOTHING, 0};
    if (at.y == l.progress && (number = progress_at(s, &l, at.x)) > 0)
        return (struct mouse_target){MOUSE_STEP, number};
    view = view_choose(s, l.picture);
    if (!s->inspect && rect_contains(l.picture, at) &&
        (number = view_rank_at(view, s, l.picture, at)) >= 0)
        return (struct mouse_target){MOUSE_RANK, number};
    return (struct mouse_target){MOUSE_NOTHING, 0};
}
