/* SPDX-License-Identifier: MIT */
/* Walking through a schedule with an eye on what moves: which chunk is in
 * which slot, and so how long every transfer is. */
#ifndef SCHEDULE_WALK_H
#define SCHEDULE_WALK_H

#include "schedule/schedule.h"

/* Slot k of transfer t, in step `step` (from 1), holds chunk `chunk` of some
 * rank's input, or, where nobody wrote it, what is as long. */
typedef void walk_fn(void *state, int step, const struct transfer *t, int k,
                     int chunk);

/* Calls `fn` for every slot that is moved, in the schedule's order. The
 * schedule must be valid. */
void schedule_walk(const struct schedule *s, walk_fn *fn, void *state);

/* Elements that every rank sends to others, into sent[nranks], when each
 * rank's input has `count` elements. */
void schedule_sent(const struct schedule *s, int64_t count, int64_t *sent);

#endif
