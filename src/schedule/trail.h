/* SPDX-License-Identifier: MIT */
/* A trail: the way of the data that a slot holds after some step.  Before that
 * step it is in all slots that the data is made from, afterwards in all slots
 * that are made from it.
 *
 *     struct trail *t = trail_new(s, 1, 0, 3);     GPU 1's slot 0, after step 3
 *     trail_has(t, 5, rank, slot)                  whether that has some of it
 *     trail_free(t);
 */
#ifndef SCHEDULE_TRAIL_H
#define SCHEDULE_TRAIL_H

#include "schedule/schedule.h"

enum { TRAIL_CELLS_MOST = 1 << 24 }; /* slots of all ranks, at all steps */

struct trail {
    const struct schedule *schedule; /* shared */
    int rank, slot, step;
    bool *has; /* [(step * nranks + rank) * nslots + slot] */
};

/* One step on: fills after[nranks * nslots] with what is made of the slots that
 * `before` marks.  A slot keeps what it has, unless the step copies to it, and
 * gets what is copied or added to it. */
void trail_on(const struct schedule *s, int step, const bool *before,
              bool *after);

/* One step back: fills before[nranks * nslots] with what the slots are made
 * from that `after` marks.  What the step leaves alone stays; what it writes is
 * made from what it copies or adds there. */
void trail_back(const struct schedule *s, int step, const bool *after,
                bool *before);

/* Returns NULL if the schedule exceeds the limit above. */
struct trail *trail_new(const struct schedule *s, int rank, int slot,
                        int step);

/* Does nothing for NULL. */
void trail_free(struct trail *t);

/* Whether a slot is on the trail after a step; step 0 is the input. */
bool trail_has(const struct trail *t, int step, int rank, int slot);

/* Whether a transfer of a step carries the data on. */
bool trail_carries(const struct trail *t, int step,
                   const struct transfer *transfer);

/* Whether a transfer of a step replaces the data. */
bool trail_ends(const struct trail *t, int step,
                const struct transfer *transfer);

#endif
