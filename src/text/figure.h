/* SPDX-License-Identifier: MIT */
/* A figure: a chart of a few series of points over any two quantities, such as
 * the loss over the steps of a training.  view/chart.h draws it; as text it is
 * a table.
 *
 *     struct figure *f = figure_new("Loss of both", "step", "loss");
 *     series_add(&f->set, "GPU 0");                at most FIGURE_SERIES_MOST
 *     if (!figure_put(f, 0, 12.5, &err)) ...      as often as there are points
 *     figure_table(f, &text);
 *     figure_free(f);
 *
 * A curve is a function of x, so the points of a series are in the order of x.
 * (The times of algorithms, with which one is the fastest where, are a chart of
 * their own: text/series.h.) */
#ifndef TEXT_FIGURE_H
#define TEXT_FIGURE_H

#include "base/err.h"
#include "text/series.h"

enum {
    FIGURE_SERIES_MOST = 6, /* what a table and a legend have room for */
    FIGURE_COLUMNS = 79     /* of a table, at most */
};

struct figure {
    char *title;
    char *x, *y; /* what the axes show, in words */
    enum unit x_unit, y_unit;
    struct series_set set;
};

/* The texts are copied.  They may hold anything. */
struct figure *figure_new(const char *title, const char *x, const char *y);
void figure_free(struct figure *f);

/* Adds a point to the last series.  Returns false, with the reason in *err, if
 * its x is not above the one before, or a number is too large to be drawn. */
bool figure_put(struct figure *f, double x, double y, struct err *err);

/* Whether an axis is logarithmic: all its values are above 0, and the greatest
 * is at least 100 times the smallest. */
bool figure_is_log(struct extent e);

/* Appends a table: the title, then a row for each x, or for some of them if
 * there are many, with a column for each series; "-" where it has no point.
 * The first row is the widest, and there is a newline between two rows.
 * Returns false, with the reason in *err, if it needs more than
 * FIGURE_COLUMNS. */
bool figure_table(const struct figure *f, struct buf *out, struct err *err);

#endif
