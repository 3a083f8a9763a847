/* SPDX-License-Identifier: MIT */
/* The star: the root in the middle, the other ranks in a row above it and a row
 * below it. */
#include "base/translate.h"
#include "view/painter.h"
#include "view/view.h"

static void
link_root(struct places *p, int rank)
{
    int root = p->schedule->root;
    struct rect a = p->boxes[rank], b = p->boxes[root];
    bool above = a.y < b.y;
    int gap = above ? b.y - a.y - a.height : a.y - b.y - b.height;
    int away = gap > 2; /* leaves room for an arrowhead at the root */
    int bus = above ? b.y - 1 - away : b.y + b.height + away;
    struct point corners[] = {{a.x + a.width / 2, bus},
                              {b.x + b.width / 2, bus}};

    places_link(p, rank, root, above, corners, 2);
}

static bool
place(struct places *p, struct rect area)
{
    int others = p->schedule->nranks - 1, top = others / 2;
    int counts[2] = {top, others - top};
    int pitch_y, first_y, pitch, first;

    if (!places_spread(3, p->box.height, p->look.gap_y, area.height, &pitch_y,
                       &first_y))
        return false;
    places_box(p, p->schedule->root,
               area.x + (area.width - p->box.width) / 2,
               area.y + first_y + pitch_y);
    for (int row = 0, i = 1; row < 2; row++) {
        if (!places_spread(counts[row], p->box.width, p->look.gap_x,
                           area.width, &pitch, &first))
            return false;
        for (int k = 0; k < counts[row]; k++, i++) {
            int rank = (p->schedule->root + i) % p->schedule->nranks;
            places_box(p, rank, area.x + first + k * pitch,
                       area.y + first_y + 2 * row * pitch_y);
            link_root(p, rank);
        }
    }
    return true;
}

const struct view view_star = {
    .name = N_("star"),
    .topologies = VIEW_OF(TOPOLOGY_STAR),
    .place = place,
    .boxes = true,
    .symbols = painter_symbols,
    .moves = true,
};
