/* SPDX-License-Identifier: MIT */
/* Which ranks hold a run up, and which ranks each of the others waits for, in a
 * run that has made no progress for a while or never will.
 *
 * This follows from the transfers that are missing.  A rank whose next transfer
 * has not happened waits for the sender, if the sender lacks something itself.
 * Otherwise one of the two holds the others up: the one that has done nothing
 * since, or for which more ranks wait.  Where events do not show which of them
 * it is, both are said to hold the run up.  In lockstep a rank that misses
 * nothing in the step waits for the rank with which it goes on afterwards.  In
 * a mismatch it is the rank that was given something else, and each rank waits
 * for the sender of what it lacks.
 *
 *     struct holdup h;
 *     if (holdup_of(scene, &h))
 *         ... h.ranks[rank] ...
 */
#ifndef MODEL_HOLDUP_H
#define MODEL_HOLDUP_H

#include "model/scene.h"

enum { HOLDUP_RANKS_MOST = 64 };

/* A scene's step must have been awaited for so long. */
#define HOLDUP_NS INT64_C(1000000000)

struct holdup {
    int64_t awaited_ns; /* 0: unknown, or the run has ended */
    struct held_rank {
        bool guilty;
        int waits_for; /* a rank; -1: none */
        int step, src; /* of the first transfer that it lacks; step 0: none */
    } ranks[HOLDUP_RANKS_MOST];
};

/* Returns false if nothing holds the run up, or it has more than
 * HOLDUP_RANKS_MOST ranks. */
bool holdup_of(const struct scene *s, struct holdup *h);

/* Whether a rank holds others up, or waits for one. */
bool holdup_has(const struct holdup *h, int rank);

#endif
