/* SPDX-License-Identifier: MIT */
/* The star: the root in the middle, the other ranks in a row above it and a row
 * below it. */
#include "base/translate.h"
#include "view/wiring.h"

static void
link_root(struct wiring *w, int rank)
{
    int root = w->schedule->root;
    struct rect a = wiring_box(w, rank), b = wiring_box(w, root);
    bool above = a.y < b.y;
    int ax = a.x + a.width / 2, bx = b.x + b.width / 2;
    int gap = above ? b.y - a.y - a.height : a.y - b.y - b.height;
    int away = gap > 2; /* leaves room for an arrowhead at the root */
    int bus = above ? b.y - 1 - away : b.y + b.height + away;
    struct path *p = wiring_link(w, rank, root, above);

    path_add(p, ax, above ? a.y + a.height - 1 : a.y);
    if (ax != bx) {
        path_add(p, ax, bus);
        path_add(p, bx, bus);
    }
    path_add(p, bx, above ? b.y : b.y + b.height - 1);
}

static bool
place(struct wiring *w, struct rect area)
{
    int others = w->schedule->nranks - 1, top = others / 2;
    int counts[2] = {top, others - top};
    int pitch_y, first_y, pitch, first;

    if (!wiring_spread(3, w->box.height, w->gap_y, area.height, &pitch_y,
                       &first_y))
        return false;
    w->corners[w->schedule->root] =
        (struct point){area.x + (area.width - w->box.width) / 2,
                       area.y + first_y + pitch_y};
    for (int row = 0, i = 1; row < 2; row++) {
        if (!wiring_spread(counts[row], w->box.width, w->gap_x, area.width,
                           &pitch, &first))
            return false;
        for (int k = 0; k < counts[row]; k++, i++) {
            int rank = (w->schedule->root + i) % w->schedule->nranks;
            w->corners[rank] =
                (struct point){area.x + first + k * pitch,
                               area.y + first_y + 2 * row * pitch_y};
            link_root(w, rank);
        }
    }
    return true;
}

const struct view view_star = {
    .name = N_("star"),
    .topologies = VIEW_OF(TOPOLOGY_STAR),
    .place = place,
    .symbols = wiring_symbols,
    .moves = true,
};
