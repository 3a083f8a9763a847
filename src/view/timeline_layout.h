/* SPDX-License-Identifier: MIT */
/* Where the parts of the view timeline are; arithmetic only.
 *
 *     measured                 waited     head: what the times are
 *                 1     2v                the numbers of steps
 *     GPU 0  ··A+++·B+++                  a row for each rank, on one axis
 *     GPU 1  ▒▒A+++·C+++       2 us       its right end: how long it waited
 *            0     |5 us                  durations, or a ruler
 *     + adds  = receives                  legend */
#ifndef VIEW_TIMELINE_LAYOUT_H
#define VIEW_TIMELINE_LAYOUT_H

#include "draw/axis.h"
#include "draw/canvas.h"
#include "model/scene.h"

/* Columns at the right end of a row, rows above the axis and below it. */
enum { TIMELINE_WAITED = 18, TIMELINE_HEAD = 2, TIMELINE_FOOT = 2 };

struct timeline {
    const struct scene *scene;
    struct canvas *canvas;
    struct rect area; /* of the axis and its rows */
    struct axis axis;
    int step; /* the step shown */
    int label_width;
    int first, count; /* the ranks shown */
    int pitch;        /* rows from a rank to the next */
};

struct timeline timeline_arrange(const struct scene *s, struct canvas *c,
                                 struct rect area);

/* The row of a rank, or -1 if the rank is not shown. */
int timeline_row(const struct timeline *t, int rank);

/* Sets *column to the moment when the last rank finished the step. Returns
 * false if it is not on the page. */
bool timeline_cursor(const struct timeline *t, int *column);

#endif
