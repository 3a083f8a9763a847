/* SPDX-License-Identifier: MIT */
/* A mismatch: one rank follows another schedule than the others, as when a
 * program calls a collective with another root, another count or another
 * algorithm on one rank.
 *
 * What then happens is decided by messages alone.  Each rank sends and receives
 * what its own schedule says, and between two ranks sends and receives match
 * first in, first out.  run/waits.h explains the outcome. */
#ifndef SCHEDULE_MISMATCH_H
#define SCHEDULE_MISMATCH_H

#include "base/err.h"
#include "schedule/schedule.h"

struct mismatch {
    int rank;
    const struct schedule *its, *theirs; /* borrowed; of one collective, in or
                                          * out of place, on as many ranks */
    int64_t its_count; /* elements of its input; the run's count is theirs */
    int turn; /* not 0: a send ends only when it is received (the backend
               * threads), and in `its` this step and the next have changed
               * places; 0: a send ends at once, or as MPI chooses */
};

/* The step in which a transfer stands in what is shown, reported and asked for,
 * when its receiver takes it in `step`.  In turns the two ranks of a transfer
 * may have it in different steps; it stands in the earlier one, in which both
 * wait for it. */
int mismatch_step(const struct mismatch *m, int step, int src, int dst);

/* The transfers that ranks receive in: `its` into the rank, `theirs` into all
 * others.  This is what a mismatched run reports, and what is shown.  It is
 * valid, but it is wrong, and no backend can run it: nobody may send what a
 * rank receives.  Returns NULL if it exceeds the limits. */
struct schedule *mismatch_seen(const struct mismatch *m, struct err *err);

#endif
