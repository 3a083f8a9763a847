/* SPDX-License-Identifier: MIT */
/* Columns side by side, right of the ranks' names: the steps of a run, or the
 * parts of a table.  Where not all have room, a window shows those around the
 * step at hand, with how many are left out on either side:
 *
 *               +3 ...      4        5        6     ... +6
 *     GPU 0              AAAA4 ──▶ AAA5 ──▶ AA6 */
#ifndef VIEW_COLUMNS_H
#define VIEW_COLUMNS_H

#include "view/places.h"

struct column {
    int gap, width; /* what it needs: blank columns before it, its own */
    int gap_x, x;   /* where its gap begins, and where it begins */
};

struct columns {
    struct column *list;
    int count;
    int air;    /* columns added to each gap, at most, if there is room */
    int margin; /* 1: the room on both sides counts as a gap then */

    int first, last; /* those shown */
    int end;         /* the last that may be drawn: in a lesson the step's */
    int left;        /* the column of the ranks' names */
};

/* Shows all columns if they have room, else that of the places' step, the one
 * after it, and as many before them as possible, then those that follow.
 * Returns false if there is not always room for `least_shown` of them. */
bool columns_place(struct columns *c, const struct places *p,
                   int least_shown);

/* Adds, in row y, how many columns are left out. */
void columns_edges(const struct columns *c, struct places *p, int y);

#endif
