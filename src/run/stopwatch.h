/* SPDX-License-Identifier: MIT */
/* How long schedules take on threads: plain runs, nothing recorded. */
#ifndef RUN_STOPWATCH_H
#define RUN_STOPWATCH_H

#include "run/input.h"
#include "schedule/schedule.h"

struct timed {
    const struct schedule *schedule; /* what is to be run, and on what */
    struct input input;
    double ns;   /* one run: the median */
    int workers; /* ranks that really acted at once */
    bool right;  /* its outputs were verified */
};

/* Runs all of them by turns, so that whatever else the machine does hits all
 * alike, and fills in the rest. False with the reason. */
bool stopwatch(struct timed *all, int n, struct err *err);

#endif
