/* SPDX-License-Identifier: MIT */
/* The algorithms: the one table, and how to build a schedule from its rows.
 *
 * An algorithm is one file, coll/<collective>_<algorithm>.c, with one pure
 * function that fills a schedule, and one row here.  Its name on the command
 * line is <algorithm>-<collective>; a collective alone means the first row
 * that has it, an algorithm alone the only one of that name. */
#ifndef COLL_COLL_H
#define COLL_COLL_H

#include "base/err.h"
#include "base/near.h"
#include "schedule/schedule.h"

struct coll_options {
    int nranks;
    int root;   /* of collectives that have one; else of no meaning */
    int chunks; /* to pipeline with, 0: the algorithm's default */
    int dims[TOPOLOGY_DIMS]; /* --shape; 0: not given. coll_build() fills in
                              * what the algorithm needs before it asks for
                              * anything: functions below see sizes whose
                              * product is nranks, 1 in what is not used */
    bool in_place;
};

enum { COLL_ALIASES = 3 };

/* Functions of the options see them complete: root 0 where there is none,
 * chunks at least 1, sizes as said above. */
struct algorithm {
    const char *name; /* "ring" */
    const char *collective;
    const char *aliases[COLL_ALIASES]; /* of the name; the last one is NULL */
    enum topology_kind topology;
    int dims;   /* sizes that --shape has for it: 0, 2 or 3 */
    int chunks; /* default of --chunks; 0: it does not pipeline */
    /* Chunks that a unit of the input is cut into (collective.h). */
    int (*pieces)(const struct coll_options *o);
    int (*scratch)(const struct coll_options *o); /* slots; NULL: none */
    void (*build)(struct schedule *s, const struct coll_options *o);
    /* Steps of communication and chunks that the busiest rank sends, as its
     * source states them. */
    int (*steps)(const struct coll_options *o);
    int (*sent)(const struct coll_options *o);
    /* Sends, or receives, of a rank in one step; NULL: one. */
    int (*ports)(const struct coll_options *o);
    const char *steps_formula, *bytes_formula; /* S: bytes of the input */
    const char *idea; /* one sentence, to be translated */
    const char *when; /* when it wins; one sentence, to be translated */
    const char *source;
};

/* The table, by index from 0; NULL behind its end. */
const struct algorithm *coll_at(int index);

/* "ring-allreduce", or "allreduce" for its first algorithm, or "bruck" where only
 * one is called so; aliases too.  False with an error that says which it could be,
 * or what is near. */
bool coll_find(const char *name, const struct algorithm **algorithm,
               struct err *err);

/* Considers all names that coll_find() knows. */
void coll_near(struct near *n);

/* Completes options for an algorithm: default chunks and sizes. False where
 * they do not fit it, with the reason. */
bool coll_complete(const struct algorithm *algorithm, struct coll_options *o,
                   struct err *err);

/* A new schedule, or NULL with the reason. */
struct schedule *coll_build(const struct algorithm *algorithm,
                            const struct coll_options *o, struct err *err);

#endif
