/* SPDX-License-Identifier: MIT */
/* The positions of boxes and paths in the ring view: arithmetic, no drawing.
 *
 * The ranks are placed clockwise around a rectangle: `top` of them from left to
 * right, then one in each row down the right side, then from right to left
 * along the bottom, then up the left side.  Every rank is a box of slots,
 * filled column by column.  Positions depend only on the schedule and the size,
 * so nothing moves between steps.
 *
 *     3 ranks   0      5 ranks    0       8 ranks  0 1 2
 *              2 1               4 1               7   3
 *                                3 2               6 5 4  */
#ifndef VIEW_RING_LAYOUT_H
#define VIEW_RING_LAYOUT_H

#include <stdbool.h>

#include "draw/path.h"
#include "draw/rank_box.h"
#include "schedule/schedule.h"

struct ring_layout {
    int nranks;
    struct rect area;      /* covers the boxes and the paths, centered */
    int rows, top, bottom; /* rows of boxes, boxes in the first and last row */
    struct rank_box box;
};

/* Sets *l to the best arrangement for an area: the roomiest in which whole sums
 * fit, else one with short sums, else one with a cell for each slot. Returns
 * false if these do not fit either. */
bool ring_layout(const struct schedule *s, struct rect area,
                 struct ring_layout *l);

struct rect ring_layout_box(const struct ring_layout *l, int rank);


/* The path from a rank to its neighbour, or a straight line between ranks that
 * are not neighbours. */
struct path ring_layout_path(const struct ring_layout *l, int from, int to);

/* Whether `from` and `to` are neighbours in the ring. */
bool ring_layout_neighbours(const struct ring_layout *l, int from, int to);

#endif
