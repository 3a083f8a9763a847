/* SPDX-License-Identifier: MIT */
/* How long an algorithm takes on a network, by its model: for one number of
 * ranks, and any size of the data.
 *
 * - Where the critical path is known in closed form (coll_path), the time
 *   follows from it, for any number of ranks with one port each.
 * - Elsewhere the schedule is built and simulated (schedule/simulation.h).
 * - Schedules have at most SCHEDULE_RANKS_MAX ranks, and simulating large ones
 *   takes long.  Where each doubling of the ranks adds the same time
 *   (coll_steady), two smaller ones are simulated instead.
 *
 * All ways give the same times, the last one of a double tree to 8 %:
 * tests/prediction.c compares them.  All chunks are taken to be equally long,
 * and of one byte at least. */
#ifndef PLAY_PREDICTION_H
#define PLAY_PREDICTION_H

#include "coll/coll.h"
#include "schedule/network.h"

struct prediction {
    const struct network *network; /* borrowed */
    const struct collective *collective;
    int nranks, pieces;
    struct path path; /* if nothing is simulated */
    struct schedule *base;    /* NULL: nothing is simulated */
    struct schedule *doubled; /* of twice the ranks of `base`; or NULL */
    int doublings;            /* of the ranks of `base` */
    /* The bytes of the chunks that were simulated last, the time of `base` with
     * them, and what a doubling adds. */
    double chunk, base_ns, added_ns;
};

/* Returns false, with the reason in *err, if the options do not fit the
 * algorithm, or if the time is not known.  Close it in either case. */
bool prediction_open(struct prediction *p, const struct algorithm *algorithm,
                     const struct coll_options *o,
                     const struct network *network, struct err *err);
void prediction_close(struct prediction *p);

/* The bytes of the data, which is the larger one of input and output
 * (schedule/collective.h), if a rank's input has so many. */
double prediction_bytes(const struct collective *c, int nranks, double input);

/* The time in ns for data of `bytes`. */
double prediction_ns(struct prediction *p, double bytes);

/* --chunks auto: a pipeline with as many chunks as the model finds best for
 * each size.
 *
 *     if (pipeline_open(&p, algorithm, &options, &network, &err))
 *         for (each size) ns = pipeline_ns(&p, bytes, &chunks);
 *     pipeline_close(&p);
 *
 * The candidates are 1, 2, 4, ..., as far as they can be predicted while
 * somebody waits; of equal ones the least is taken.  More chunks make a
 * pipeline faster, then slower, so the search ends after two that are slower
 * than the best one; tests/prediction.c looks at all candidates.  Each is built
 * once, for all sizes.
 *
 * If o->chunks is not CHUNKS_AUTO, or the algorithm is not pipelined, there is
 * one candidate. */
enum {
    CHUNKS_AUTO = -1, /* as coll_options.chunks, here alone */
    PIPELINE_CANDIDATES = 10 /* up to 512 chunks */
};

struct pipeline {
    const struct algorithm *algorithm;
    const struct network *network; /* borrowed */
    struct coll_options options;
    struct prediction all[PIPELINE_CANDIDATES];
    int n;    /* of those that were opened */
    int most; /* there are no more */
    int best; /* of the last size */
};

bool pipeline_open(struct pipeline *p, const struct algorithm *algorithm,
                   const struct coll_options *o,
                   const struct network *network, struct err *err);
void pipeline_close(struct pipeline *p);

/* Makes it one of twice the ranks, for which nothing is built, nor simulated
 * for the same chunks.  Returns false, and leaves it as it is, where that is
 * not possible. */
bool pipeline_double(struct pipeline *p);

/* The time in ns, as prediction_ns().  Sets *chunks to the value of --chunks
 * that it has; 0: the algorithm takes none. */
double pipeline_ns(struct pipeline *p, double bytes, int *chunks);

#endif
