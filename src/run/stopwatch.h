/* SPDX-License-Identifier: MIT */
/* Measures how long schedules take on threads, in plain runs. */
#ifndef RUN_STOPWATCH_H
#define RUN_STOPWATCH_H

#include "run/rank_memory.h"
#include "schedule/schedule.h"

struct timed {
    const struct schedule *schedule; /* to be run on `input` */
    struct input input;
    double ns;   /* one run: the median */
    double low_ns, high_ns; /* a half of all times is between these */
    int workers; /* ranks that acted at once: the threads */
    bool right;  /* the outputs are correct */
};

/* Runs all of them in turn, so that other load on the machine affects all
 * alike, and fills in the results.  Short runs are repeated often, and several
 * times with other memory, which makes as much of a difference as load does.
 * Returns false, with the reason, on failure. */
bool stopwatch(struct timed *all, int n, struct err *err);

#endif
