/* SPDX-License-Identifier: MIT */
/* Collectives: what is promised, whatever the algorithm.
 *
 * A rank's input is cut into units (as many as there are ranks where the
 * collective deals them out, else one) and every unit into `pieces` chunks, as
 * many as the algorithm likes.  A chunk is known by the rank it comes from and
 * its index in that rank's input: B2 is chunk 2 of rank 1.
 *
 * | collective | input | output | output chunk j of rank r             |
 * |------------|-------|--------|--------------------------------------|
 * | allreduce  | 1     | 1      | the sum of chunk j over all ranks    |
 *
 * A collective is one row of the table in collective.c. */
#ifndef SCHEDULE_COLLECTIVE_H
#define SCHEDULE_COLLECTIVE_H

#include <stdbool.h>

enum collective_units { UNITS_ONE, UNITS_RANKS };

/* What an output chunk must hold: a chunk of one origin, or its sum over all
 * ranks that have an input (origin PROMISE_ALL). */
enum { PROMISE_ALL = -1 };
struct promise {
    int origin;
    int chunk;
};

struct collective {
    const char *name;  /* as in ALGORITHM-COLLECTIVE: "allreduce" */
    const char *title; /* as people write it: "all-reduce" */
    bool rooted;       /* has a root */
    bool reduces;      /* uses the reduction operator */
    enum collective_units input, output;
    struct promise (*promise)(int nranks, int pieces, int rank, int chunk);
    /* What some rank can not send less than, in units of a rank's input, and
     * how that is written. */
    double (*least_sent)(int nranks);
    const char *least_formula;
    const char *what; /* one sentence, to be translated */
};

/* NULL where there is none of that name. */
const struct collective *collective_find(const char *name);

/* The table, by index from 0; NULL behind its end. */
const struct collective *collective_at(int index);

int collective_units(enum collective_units units, int nranks);

#endif
