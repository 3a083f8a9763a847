/* SPDX-License-Identifier: MIT */
/* The ring: the ranks clockwise around a rectangle, `top` of them from left to
 * right, then one in each row down the right side, then from right to left
 * along the bottom, then up the left side.
 *
 *     3 ranks   0      5 ranks    0       8 ranks  0 1 2
 *              2 1               4 1               7   3
 *                                3 2               6 5 4  */
#include <stdlib.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "view/painter.h"
#include "view/view.h"

enum {
    GAP_X_WANTED = 14, /* columns between boxes side by side */
    GAP_Y_WANTED = 3,  /* rows between boxes one above the other */
};

/* How the boxes are spread over an area. */
struct ring {
    int nranks;
    int rows, top, bottom; /* rows of boxes, boxes in the first and last row */
    int across;            /* boxes side by side in the widest row */
    int gap_x, gap_y;      /* between boxes spread over all of the area */
};

static struct ring
ring_of(const struct places *p, int rows, struct rect area)
{
    int n = p->schedule->nranks, sides = rows > 2 ? 2 * (rows - 2) : 0;
    struct ring r = {.nranks = n, .rows = rows,
                     .gap_x = area.width, .gap_y = area.height};

    r.top = rows == 1 ? n : (n - sides) / 2;
    r.bottom = rows == 1 ? 0 : n - sides - r.top;
    r.across = most(most(r.top, r.bottom), rows > 2 ? 2 : 1);
    if (r.across > 1)
        r.gap_x = (area.width - r.across * p->box.width) / (r.across - 1);
    if (rows > 1)
        r.gap_y = (area.height - rows * p->box.height) / (rows - 1);
    return r;
}

/* Grades an arrangement: higher is better, -1 means that it does not fit.
 * Blocks that travel need space. */
static int
grade(const struct ring *r, const struct places *p, struct rect area)
{
    if (r->gap_x < p->look.gap_x || r->gap_y < most(1, p->look.gap_y - 1) ||
        p->box.width > area.width || p->box.height > area.height)
        return -1;
    return 100 + 10 * least(r->gap_x, GAP_X_WANTED) / GAP_X_WANTED +
           20 * least(r->gap_y, GAP_Y_WANTED) / GAP_Y_WANTED - r->rows;
}

static void
place_rank(const struct ring *r, struct places *p, struct rect area, int rank)
{
    int room = area.width - p->box.width;
    int first_bottom = r->top + most(r->rows - 2, 0);
    int row, place, places = 2;

    if (rank < r->top) {
        row = 0;
        place = rank;
        places = r->top;
    } else if (rank < first_bottom) {
        row = rank - r->top + 1;
        place = 1;
    } else if (rank < first_bottom + r->bottom) {
        row = r->rows - 1;
        place = first_bottom + r->bottom - 1 - rank;
        places = r->bottom;
    } else {
        row = r->nranks - rank;
        place = 0;
    }
    places_box(p, rank,
               area.x + (places == 1 ? room / 2 : room * place / (places - 1)),
               area.y + (area.height - p->box.height) * row /
                            most(r->rows - 1, 1));
}

/* Links boxes side by side or, straight if they overlap, one above the other;
 * else with one corner, on the outside of the ring, whose middle is given.  If
 * there are only two ranks, the link back is on a lower row. */
static void
link_next(struct places *p, int middle, int rank)
{
    int n = p->schedule->nranks, next = (rank + 1) % n;
    struct rect a = p->boxes[rank], b = p->boxes[next];
    int ax = a.x + a.width / 2, bx = b.x + b.width / 2;
    struct point corner = places_middle(p, rank, next);

    if (a.y == b.y)
        corner.y = a.y + (n > 2        ? (a.height - 1) / 2
                          : a.x < b.x ? (a.height - 2) / 2
                                      : (a.height + 1) / 2);
    else if (bx > a.x && bx < a.x + a.width - 1)
        corner.x = bx;
    else if (abs(ax - middle) < abs(bx - middle))
        corner = (struct point){bx, a.y + (a.height - 1) / 2};
    else
        corner = (struct point){ax, b.y + (b.height - 1) / 2};
    places_link(p, rank, next, rank + 1, &corner, 1)->upward = a.y > b.y;
}

static bool
place(struct places *p, struct rect area)
{
    int n = p->schedule->nranks, best_grade = -1, width, height;
    int rows_least = n <= 2 ? 1 : 2, rows_most = n <= 2 ? 1 : (n + 2) / 2;
    struct ring best = {0};

    for (int rows = rows_least; rows <= rows_most; rows++) {
        struct ring r = ring_of(p, rows, area);
        int this_grade = grade(&r, p, area);
        if (this_grade > best_grade) {
            best_grade = this_grade;
            best = r;
        }
    }
    if (best_grade < 0)
        return false;
    /* in the middle, and so near that the eye can follow the blocks */
    width = best.across * p->box.width +
            (best.across - 1) * least(best.gap_x, area.width * 2 / 5);
    height = best.rows * p->box.height +
             (best.rows - 1) * least(best.gap_y, area.height / 2);
    area = (struct rect){area.x + (area.width - width) / 2,
                         area.y + (area.height - height) / 2, width, height};
    for (int rank = 0; rank < n; rank++)
        place_rank(&best, p, area, rank);
    for (int rank = 0; rank < n; rank++)
        link_next(p, area.x + area.width / 2, rank);
    return true;
}

const struct view view_ring = {
    .name = N_("ring"),
    .topologies = VIEW_OF(TOPOLOGY_RING),
    .place = place,
    .boxes = true,
    .symbols = painter_symbols,
    .moves = true,
};
