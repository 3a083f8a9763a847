/* SPDX-License-Identifier: MIT */
/* A plot: curves made of dots, eight of which are in one braille character, and
 * the axes around them.  Each axis is logarithmic or linear.
 *
 *     struct plot p;
 *     plot_init(&p, (struct rect){9, 2, 70, 14}, x, y, GLYPHS_FULL);
 *     plot_axes(&p, UNIT_BYTES, UNIT_TIME, &canvas);
 *     plot_curve(&p, value_at, series, pen);    as often as there are curves
 *     plot_draw(&p, &canvas);
 *     plot_marks(&p, &points, i, ncurves, &canvas);   for each of them
 *     plot_done(&p);
 *
 * A cell has one colour.  Where several curves pass through a cell, it has the
 * colour of one of them, and the next cell that of the next one: curves that
 * lie upon each other look like one that has all their colours.
 *
 * Where a set of characters has no braille, a cell has a dot in its upper half
 * (') or in its lower half (.) or in both (:). */
#ifndef DRAW_PLOT_H
#define DRAW_PLOT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/glyph_set.h"
#include "draw/canvas.h"
#include "text/unit.h"

/* The values at the two ends of an axis, from < to; 0 < from if it is
 * logarithmic. */
struct scale {
    double from, to;
    bool linear;
};

/* The room that the axes take around the area of the curves. */
enum { PLOT_LEFT = 10, PLOT_BELOW = 2 };

struct plot {
    struct rect area; /* the cells of the curves */
    struct scale x, y;
    enum glyph_set glyphs;
    struct plot_curve {
        struct pen pen;
        uint8_t *dots; /* a bit for each dot, by cell */
    } *curves;
    size_t ncurves, capacity;
};

/* A logarithmic scale that has all values from `least` to `most`.  Its ends are
 * 1, 2 or 5 times a power of ten. */
struct scale plot_scale(double least, double most);

/* The same for a linear scale: its ends are multiples of the distance between
 * two ticks.  Values that are equal are in its middle. */
struct scale plot_linear(double least, double most);

/* Whether values from `least` to `most` are so near to each other that the
 * ticks of a linear scale would not differ: then they count as equal. */
bool plot_is_flat(double least, double most);

void plot_init(struct plot *p, struct rect area, struct scale x,
               struct scale y, enum glyph_set glyphs);
void plot_done(struct plot *p);

/* The column or row of the canvas in which a value is; outside the area for
 * values outside the scale. */
int plot_column(const struct plot *p, double x);
int plot_row(const struct plot *p, double y);

/* The value of x in the middle of a column. */
double plot_x(const struct plot *p, int column);

/* Adds the curve of a function, which returns NAN where there is none. */
void plot_curve(struct plot *p, double (*at)(const void *state, double x),
                const void *state, struct pen pen);

/* Draws the curves. */
void plot_draw(const struct plot *p, struct canvas *c);

/* The points of a curve that may have a mark.  `at` sets *x and *y to point k,
 * or returns false if it is not shown. */
struct plot_points {
    size_t n;
    bool (*at)(const void *state, size_t k, double *x, double *y);
    const void *state;
};

/* Draws marks on curve i of `ncurves`.  They stand on every `stride`-th point,
 * so far apart that each curve has points of its own if all have the same. */
void plot_marks(const struct plot *p, const struct plot_points *points,
                size_t i, size_t ncurves, struct canvas *c);

/* Draws the axes, with ticks that are far enough apart to be read. */
void plot_axes(const struct plot *p, enum unit x, enum unit y,
               struct canvas *c);

/* The mark and the colour of a curve, by its number from 0. Curves of the same
 * colour have another mark each. */
uint32_t plot_mark(enum glyph_set glyphs, size_t curve);
struct pen plot_pen(size_t curve);

#endif
