/* SPDX-License-Identifier: MIT */
#include "view/view.h"

#include <stddef.h>

/* An algorithm's own first: those up to the arcs suit different topologies. */
static const struct view *const views[] = {
    &view_ring,
    &view_tree,
    &view_grid,
    &view_layers,
    &view_cube,
    &view_star,
    &view_arcs,
    &view_matrix, /* suits everything */
    &view_timeline,
    &view_log,
};

enum { VIEWS = sizeof views / sizeof views[0] };

const struct view *
view_at(int index)
{
    return index >= 0 && index < VIEWS ? views[index] : NULL;
}

static int
choose(const struct scene *s, struct rect area)
{
    if (view_at(s->view) != NULL && views[s->view]->suits(s, area))
        return s->view;
    for (int i = 0; i < VIEWS; i++)
        if (views[i]->suits(s, area))
            return i;
    return 0; /* never: the matrix suits */
}

const struct view *
view_choose(const struct scene *s, struct rect area)
{
    return views[choose(s, area)];
}

int
view_next(const struct scene *s, struct rect area)
{
    int now = choose(s, area);

    for (int i = 1; i < VIEWS; i++)
        if (views[(now + i) % VIEWS]->suits(s, area))
            return (now + i) % VIEWS;
    return now;
}
