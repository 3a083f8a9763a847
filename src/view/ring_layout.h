/* SPDX-License-Identifier: MIT */
/* Where things are in the ring view: arithmetic, no drawing.
 *
 * Ranks stand clockwise around a rectangle, the way a terminal has round
 * things: `top` of them from left to right, then down the right side one a
 * row, from right to left along the bottom, and up the left side.  Every rank
 * is a box of slots, filled column by column.  All depends on the schedule's
 * shape and the size alone, so nothing moves from step to step.
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
    struct rect area; /* what the boxes and the paths need, centered */
    int rows, top, bottom; /* of boxes: rows, boxes in the first and last */
    struct rank_box box;
};

/* Chooses the arrangement for an area: the roomiest that fits of whole sums,
 * else short ones. False where even these do not fit. */
bool ring_layout(const struct schedule *s, struct rect area,
                 struct ring_layout *l);

struct rect ring_layout_box(const struct ring_layout *l, int rank);


/* The way from a rank to the next; a straight one between any others. */
struct path ring_layout_path(const struct ring_layout *l, int from, int to);

/* Whether `to` stands beside `from`. */
bool ring_layout_neighbours(const struct ring_layout *l, int from, int to);

#endif
