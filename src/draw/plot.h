/* SPDX-License-Identifier: MIT */
/* A plot: curves made of dots, eight of which are in one braille character, and
 * the axes around them.  Each axis is logarithmic or linear.
 *
 *     struct plot p = {{9, 2, 70, 14}, x, y};
 *     plot_axes(&p, UNIT_BYTES, UNIT_TIME, &canvas);
 *     plot_curves(&p, &set, axes, &canvas);
 *
 * A cell has one colour.  If several curves pass through a cell, it has the
 * colour of one of them, and the next cell that of the next one: curves that
 * lie upon each other look like one that has all their colours.
 *
 * If a set of characters has no braille, a cell has a dot in its upper half (')
 * or in its lower half (.) or in both (:). */
#ifndef DRAW_PLOT_H
#define DRAW_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "draw/canvas.h"
#include "text/series.h"

/* 1, 2 or 5 times a power of ten: the nearest that is not above the value, or
 * not below it. */
double plot_round(double value, bool up);

/* The values at the two ends of an axis, from < to; 0 < from if it is
 * logarithmic. */
struct scale {
    double from, to;
    bool linear;
};

/* A scale that has all values from `least` to `most`.  The ends of a
 * logarithmic one are 1, 2 or 5 times a power of ten; those of a linear one are
 * multiples of the distance between two ticks.  Values that are equal are in
 * its middle. */
struct scale plot_scale(double least, double most, bool linear);

/* Whether values from `least` to `most` are so near to each other that the
 * ticks of a linear scale would not differ: then they count as equal. */
bool plot_is_flat(double least, double most);

/* The room that the axes take around the area of the curves. */
enum { PLOT_LEFT = 10, PLOT_BELOW = 2 };

struct plot {
    struct rect area; /* the cells of the curves */
    struct scale x, y;
};

/* The column or row of the canvas in which a value is; outside the area for
 * values outside the scale. */
int plot_column(const struct plot *p, double x);
int plot_row(const struct plot *p, double y);

/* The value of x in the middle of a column. */
double plot_x(const struct plot *p, int column);

/* Draws the axes, with ticks that are far enough apart to be read. */
void plot_axes(const struct plot *p, enum unit x, enum unit y,
               struct canvas *c);

/* Draws the curves of a set, and their marks, which are so far apart that each
 * curve has points of its own with marks if all have the same points. */
void plot_curves(const struct plot *p, const struct series_set *set,
                 struct axes axes, struct canvas *c);

/* The mark and the colour of a curve, by its number from 0. Curves of the same
 * colour have another mark each. */
enum glyph plot_mark(size_t curve);
struct pen plot_pen(size_t curve);

#endif
