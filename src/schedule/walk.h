/* SPDX-License-Identifier: MIT */
/* Walks through a schedule and keeps track of which chunk is in which slot, and
 * so of how long every transfer is. */
#ifndef SCHEDULE_WALK_H
#define SCHEDULE_WALK_H

#include "schedule/schedule.h"

/* Called for slot k of transfer t in step `step` (from 1).  The slot holds
 * chunk `chunk` of some rank's input; if it was never written, `chunk` is one
 * of the same length. */
typedef void walk_fn(void *state, int step, const struct transfer *t, int k,
                     int chunk);

/* Calls `fn` for every moved slot, in the schedule's order. The schedule must
 * be valid. */
void schedule_walk(const struct schedule *s, walk_fn *fn, void *state);

#endif
