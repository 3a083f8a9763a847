/* SPDX-License-Identifier: MIT */
/* Series: how long a collective takes by the size of its data, one series for
 * each curve of a chart.  They are measured (play/bench.h), read from other
 * programs' tables (text/bench_read.h), or modelled.
 *
 *     struct series_set set = {0};
 *     struct series *s = series_add(&set, "ring-allreduce");
 *     series_put(s, (struct series_point){{1024}, {3.5}, 0.29, 0.44, 4, 0});
 *     series_set_done(&set);
 *
 * As a curve, a series is the time of a call, or its bandwidth, over the size
 * of the data or over the number of ranks.  Between two points the time is
 * taken to be linear.  For modelled series over the size this is exact if the
 * time is alpha + beta * bytes; if another path becomes critical between two
 * points, it is a little too long.  Over the number of ranks the line is only
 * drawn: nothing is known of the numbers between two points. */
#ifndef TEXT_SERIES_H
#define TEXT_SERIES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "text/word.h"

struct series_point {
    union {
        double bytes; /* as nccl-tests counts the size of a row */
        double x;     /* in a figure */
    };
    union {
        double us; /* of one call */
        double y;
    };
    double algbw, busbw; /* GB/s, 1e9 bytes a second; NAN: unknown */
    double ranks;        /* 0: unknown */
    int chunks; /* of the algorithm's pipeline; 0: unknown, or it is none */
};

struct series {
    char *name; /* not escaped */
    size_t n;
    struct series_point *points; /* in the order in which they were added */
    size_t capacity;
};

struct series_set {
    size_t n;
    struct series *series;
    size_t capacity;
    struct buf notes; /* lines about what was left out of them */
};

/* Adds an empty series with a copy of the name.  The pointer is valid until the
 * next one is added. */
struct series *series_add(struct series_set *set, const char *name);

/* Finds a series by its name.  Returns NULL if there is none. */
struct series *series_find(const struct series_set *set, const char *name);

void series_put(struct series *s, struct series_point point);

/* Appends a table of each series, one line for each point; "-" for a value that
 * is unknown.  Names are added as they are. */
void series_text(const struct series_set *set, struct buf *out);

/* Frees everything in the set and empties it. */
void series_set_done(struct series_set *set);

/* Curves are in microseconds and GB/s, on logarithmic axes.  Those of a figure
 * may be linear or logarithmic; curves are straight on them between two
 * points. */
enum curve_over { OVER_BYTES, OVER_RANKS, OVER_X, OVER_LOG_X };
enum curve_of { OF_TIME, OF_BUSBW, OF_ALGBW, OF_Y, OF_LOG_Y };

struct axes {
    enum curve_over over;
    enum curve_of of;
};

/* The two coordinates of a point.  Returns false if it has no place on the
 * axes of a chart: a coordinate is unknown, not above zero, or so small or so
 * large that its ratio to another one is not a number. */
bool curve_point(const struct series_point *p, struct axes a, double *x,
                 double *y);

/* The value of the curve at x, as it is known, or as it is drawn. NAN if it is
 * not known, or if the series has no points. */
double curve_at(const struct series *s, struct axes a, double x);
double curve_drawn(const struct series *s, struct axes a, double x);

/* The number of chunks of the curve's point that is nearest to x; 0 if there is
 * no curve, or if it is not known. */
int curve_chunks(const struct series *s, struct axes a, double x);

/* The least and the greatest coordinates of all points. Returns false if there
 * is no point. */
struct extent {
    double least, most;
};
bool curve_extent(const struct series_set *set, struct axes a,
                  struct extent *x, struct extent *y);

/* The quantity of the set that can be drawn: `wanted`, or else another one of
 * its kind, or else any. */
enum curve_of curve_of(const struct series_set *set, enum curve_over over,
                       enum curve_of wanted);

/* The next point of any series to the right of x, or to the left; x itself if
 * there is none. */
double curve_next(const struct series_set *set, struct axes a, double x,
                  bool right);

/* The point of any series that is nearest to x, by their ratio; x itself if
 * there is none. */
double curve_near(const struct series_set *set, struct axes a, double x);

/* The series with the best value at x, by its index: the shortest time, the
 * highest bandwidth; of equal ones the first.  -1: none has a value. */
int curve_best(const struct series_set *set, struct axes a, double x);

/* Each x at which all series of several points have values is in one reign: a
 * series is the best from `from` on, up to where the next reign begins. */
struct reign {
    int series;
    double from;
};
enum { REIGNS_MOST = 32 };
struct reigns {
    struct reign all[REIGNS_MOST];
    int n;
    double to; /* the end of the last one */
    bool more; /* others begin at `to`, but have no room here */
};
struct reigns curve_reigns(const struct series_set *set, struct axes a);

/* "The fastest is butterfly; from 24.1 KiB on it is ring" Empty if there is
 * nothing to compare. */
void curve_sentence(const struct series_set *set, struct axes a,
                    struct buf *out);

/* A coordinate in words: "8 B", "64 GPUs"; "21.3 us", "4.1 GB/s". */
struct word curve_word_x(struct axes a, double x);
struct word curve_word_y(struct axes a, double y);

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
 * A curve is a function of x, so the points of a series are in the order of
 * x. */
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
