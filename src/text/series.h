/* SPDX-License-Identifier: MIT */
/* Series: how long a collective takes by the size of its data, one series for
 * each curve of a chart.  They are measured (play/bench.h), read from other
 * programs' tables (text/bench_read.h), or modelled.
 *
 *     struct series_set set = {0};
 *     struct series *s = series_add(&set, "ring-allreduce");
 *     series_put(s, (struct series_point){1024, 3.5, 0.29, 0.44, 4});
 *     series_done(&set); */
#ifndef TEXT_SERIES_H
#define TEXT_SERIES_H

#include <stddef.h>

#include "base/buf.h"

struct series_point {
    double bytes; /* as nccl-tests counts the size of a row */
    double us;    /* of one call */
    double algbw, busbw; /* GB/s, 1e9 bytes a second; NAN: unknown */
    double ranks;        /* 0: unknown */
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
void series_done(struct series_set *set);

#endif
