/* SPDX-License-Identifier: MIT */
/* How long an algorithm takes on a network, by its model: for one number of
 * ranks, and any size of the data.
 *
 * - Where the critical path is known in closed form (coll_path), the time
 *   follows from it, for any number of ranks with one port each.
 * - Elsewhere the schedule is built and simulated (schedule/simulation.h).
 * - Schedules have at most SCHEDULE_RANKS_MAX ranks.  For more, two of them are
 *   simulated if each doubling of the ranks adds the same time (coll_steady).
 *
 * All ways give the same times: tests/prediction.c compares them.  All chunks
 * are taken to be equally long, and of one byte at least. */
#ifndef PLAY_PREDICTION_H
#define PLAY_PREDICTION_H

#include "coll/coll.h"
#include "schedule/network.h"
#include "schedule/schedule.h"

struct prediction {
    const struct network *network; /* borrowed */
    const struct collective *collective;
    int nranks, pieces;
    struct path path; /* if nothing is simulated */
    struct schedule *base;    /* NULL: nothing is simulated */
    struct schedule *doubled; /* of twice the ranks of `base`; or NULL */
    int doublings;            /* of the ranks of `base` */
};

/* Returns false, with the reason in *err, if the options do not fit the
 * algorithm, or if the time is not known.  Close it in either case. */
bool prediction_open(struct prediction *p, const struct algorithm *algorithm,
                     const struct coll_options *o,
                     const struct network *network, struct err *err);
void prediction_close(struct prediction *p);

/* The time in ns for data of `bytes`, as schedule/bandwidth.h counts them. */
double prediction_ns(const struct prediction *p, double bytes);

#endif
