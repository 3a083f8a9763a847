/* SPDX-License-Identifier: MIT */
/* Who holds a run up, and who waits: for runs that have not come farther for a
 * while, or never will.
 *
 * The answer follows from which transfers are missing.  A rank whose next
 * transfer has not happened waits for its sender, if that has come no farther
 * itself; else it holds the others up.  Of two that exchange data and have both
 * stopped, nobody knows which is late: both do.  In a mismatch the rank that
 * was given something else is the one that holds the others up, and each rank
 * waits for the sender of what it misses.
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
    } ranks[HOLDUP_RANKS_MOST];
};

/* Returns false if nothing holds the run up, or it has more than
 * HOLDUP_RANKS_MOST ranks. */
bool holdup_of(const struct scene *s, struct holdup *h);

#endif
