/* SPDX-License-Identifier: MIT */
/* The algorithms: the one table, and how to build a schedule from its rows.
 *
 * An algorithm is one file, coll/<collective>_<algorithm>.c, with one pure
 * function that fills a schedule, and one row here.  Its name on the command
 * line is <algorithm>-<collective>; a collective alone means the first row
 * that has it. */
#ifndef COLL_COLL_H
#define COLL_COLL_H

#include "base/err.h"
#include "schedule/schedule.h"

struct coll_options {
    int nranks;
    int root;
    bool in_place;
};

struct algorithm {
    const char *name; /* "ring" */
    const char *collective;
    /* Chunks that a unit of the input is cut into (collective.h). */
    int (*pieces)(const struct coll_options *o);
    void (*build)(struct schedule *s);
    /* Steps of communication, as its source states them. */
    int (*steps)(int nranks);
    const char *steps_formula, *bytes_formula; /* S: bytes of the input */
    const char *idea; /* one sentence, to be translated */
    const char *source;
};

/* The table, by index from 0; NULL behind its end. */
const struct algorithm *coll_at(int index);

/* "ring-allreduce", or "allreduce" for its first algorithm. False with an
 * error that names what there is. */
bool coll_find(const char *name, const struct algorithm **algorithm,
               struct err *err);

/* A new schedule, or NULL with the reason. */
struct schedule *coll_build(const struct algorithm *algorithm,
                            const struct coll_options *o, struct err *err);

/* The algorithms' functions, each from its own file. */
void allreduce_ring(struct schedule *s);

#endif
