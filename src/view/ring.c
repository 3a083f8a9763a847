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
    struct rect area;
    int nranks;
    int rows, top, bottom; /* rows of boxes, boxes in the first and last row */
    int across;            /* boxes side by side in the widest row */
};

static struct ring
ring_of(int nranks, int rows, struct rect area)
{
    int sides = rows > 2 ? 2 * (rows - 2) : 0;
    struct ring r = {.area = area, .nranks = nranks, .rows = rows};

    r.top = rows == 1 ? nranks : (nranks - sides) / 2;
    r.bottom = rows == 1 ? 0 : nranks - sides - r.top;
    r.across = most(most(r.top, r.bottom), rows > 2 ? 2 : 1);
    return r;
}

/* The space between boxes if they are spread over all of the area. */
static int
gap_x(const struct ring *r, const struct places *p)
{
    return r->across == 1 ? r->area.width
                          : (r->area.width - r->across * p->box.width) /
                                (r->across - 1);
}

static int
gap_y(const struct ring *r, const struct places *p)
{
    return r->rows == 1 ? r->area.height
                        : (r->area.height - r->rows * p->box.height) /
                              (r->rows - 1);
}

/* Grades an arrangement: higher is better, -1 means that it does not fit.
 * Blocks that travel need space. */
static int
grade(const struct ring *r, const struct places *p)
{
    int x = gap_x(r, p), y = gap_y(r, p);

    if (x < p->look.gap_x || y < most(1, p->look.gap_y - 1) ||
        p->box.width > r->area.width || p->box.height > r->area.height)
        return -1;
    return 100 + 10 * least(x, GAP_X_WANTED) / GAP_X_WANTED +
           20 * least(y, GAP_Y_WANTED) / GAP_Y_WANTED - r->rows;
}

/* Centers the boxes, and limits the gaps between them, so that the eye can
 * follow the blocks. */
static void
center(struct ring *r, const struct places *p)
{
    struct rect area = r->area;
    int width = r->across * p->box.width +
                (r->across - 1) * least(gap_x(r, p), area.width * 2 / 5);
    int height = r->rows * p->box.height +
                 (r->rows - 1) * least(gap_y(r, p), area.height / 2);

    r->area = (struct rect){area.x + (area.width - width) / 2,
                            area.y + (area.height - height) / 2, width,
                            height};
}

static void
place_rank(const struct ring *r, struct places *p, int rank)
{
    int room = r->area.width - p->box.width;
    int first_bottom = r->top + most(r->rows - 2, 0);
    int row, place, places;

    if (rank < r->top) {
        row = 0;
        place = rank;
        places = r->top;
    } else if (rank < first_bottom) {
        row = rank - r->top + 1;
        place = 1;
        places = 2;
    } else if (rank < first_bottom + r->bottom) {
        row = r->rows - 1;
        place = first_bottom + r->bottom - 1 - rank;
        places = r->bottom;
    } else {
        row = r->nranks - rank;
        place = 0;
        places = 2;
    }
    places_box(p, rank,
               r->area.x +
                   (places == 1 ? room / 2 : room * place / (places - 1)),
               r->area.y + (r->rows == 1 ? 0
                                         : (r->area.height - p->box.height) *
                                               row / (r->rows - 1)));
}

/* Links boxes side by side.  If there are only two ranks, the link back is on a
 * lower row. */
static void
link_sideways(struct route *path, struct rect a, struct rect b, bool in_pair)
{
    bool right = a.x < b.x;
    int line = in_pair ? (right ? (a.height - 2) / 2 : (a.height + 1) / 2)
                       : (a.height - 1) / 2;

    route_add(path, right ? a.x + a.width - 1 : a.x, a.y + line);
    route_add(path, right ? b.x : b.x + b.width - 1, b.y + line);
}

/* Links boxes of two rows: straight if the boxes overlap, else with one corner,
 * on the outside of the ring. */
static void
link_rows(struct route *path, const struct ring *r, struct rect a,
          struct rect b)
{
    int middle = r->area.x + r->area.width / 2;
    int ax = a.x + a.width / 2, bx = b.x + b.width / 2;
    int ay = a.y + (a.height - 1) / 2, by = b.y + (b.height - 1) / 2;
    bool down = a.y < b.y, right = a.x < b.x;
    int a_edge = down ? a.y + a.height - 1 : a.y;
    int b_edge = down ? b.y : b.y + b.height - 1;

    if (bx > a.x && bx < a.x + a.width - 1) {
        route_add(path, bx, a_edge);
        route_add(path, bx, b_edge);
        path->upward = !down;
    } else if (abs(ax - middle) < abs(bx - middle)) {
        route_add(path, right ? a.x + a.width - 1 : a.x, ay);
        route_add(path, bx, ay);
        route_add(path, bx, b_edge);
    } else {
        route_add(path, ax, a_edge);
        route_add(path, ax, by);
        route_add(path, right ? b.x : b.x + b.width - 1, by);
    }
}

static void
link_next(const struct ring *r, struct places *p, int rank)
{
    int next = (rank + 1) % r->nranks;
    struct rect a = p->boxes[rank], b = p->boxes[next];
    struct route *path = places_road(p, rank, next, rank + 1);

    if (a.y == b.y)
        link_sideways(path, a, b, r->nranks == 2);
    else
        link_rows(path, r, a, b);
}

static bool
place(struct places *p, struct rect area)
{
    int n = p->schedule->nranks, best_grade = -1;
    int rows_least = n <= 2 ? 1 : 2, rows_most = n <= 2 ? 1 : (n + 2) / 2;
    struct ring best = {0};

    for (int rows = rows_least; rows <= rows_most; rows++) {
        struct ring r = ring_of(n, rows, area);
        int this_grade = grade(&r, p);
        if (this_grade > best_grade) {
            best_grade = this_grade;
            best = r;
        }
    }
    if (best_grade < 0)
        return false;
    center(&best, p);
    for (int rank = 0; rank < n; rank++)
        place_rank(&best, p, rank);
    for (int rank = 0; rank < n; rank++)
        link_next(&best, p, rank);
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
