/* SPDX-License-Identifier: MIT */
/* Which ranks hold a run up, and which ranks each of the others waits for, in a
 * run that has made no progress for a while or never will.
 *
 * This follows from the transfers that are missing.  If nothing else is missing
 * before a transfer, one of its ends has stopped, and both are suspects.  If
 * ranks pass messages, so are all others with which the receiver exchanges
 * messages in the step.  The suspects that have done nothing in the step and
 * since hold the run up; if there are several, those that are suspects for the
 * most transfers.  If one rank has stopped, it is always among them; the others
 * are mostly ranks that, had they stopped instead, would have left the same
 * events.
 *
 * The other ranks wait for the sender of what they lack, or for a rank that has
 * not taken what they sent.  In lockstep a rank that misses nothing in the step
 * waits for the rank with which it goes on afterwards.  In a mismatch the rank
 * that was given something else holds the run up, and each rank waits for the
 * sender of what it lacks.
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

/* Signs of waiting are drawn in two ways in turn, each for so long. */
#define HOLDUP_PULSE_NS INT64_C(500000000)

struct holdup {
    const struct schedule *schedule;
    int64_t awaited_ns; /* 0: unknown, or the run has ended */
    bool forever;       /* it will never end */
    struct held_rank {
        bool is_cause;
        int waits_for; /* a rank; -1: none */
        int step, src; /* of the first transfer that it lacks; step 0: none */
    } ranks[HOLDUP_RANKS_MOST];
    int ncauses, nwaiting; /* so many of them */
    int causes[2];         /* the first ones */
};

/* Returns false if nothing holds the run up, or it has more than
 * HOLDUP_RANKS_MOST ranks. */
bool holdup_of(const struct scene *s, struct holdup *h);

/* Whether a rank holds others up, or waits for one. */
bool holdup_has(const struct holdup *h, int rank);

#endif
