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

/* Which messages meet, and what becomes of those of other lengths than their
 * receiver expects. */
enum mismatch_rules {
    RULES_AUTO, /* the backend's own; of --broken deadlock */
    RULES_MPI,  /* messages meet one by one.  One that is too long stops its
                 * receiver; one that is too short leaves the rest as it was */
    RULES_NCCL, /* nobody compares lengths (run/nccl_slices.h), and a call with
                 * no elements does nothing (NCCL 2.30.7, src/enqueue.cc
                 * 3024) */
};

struct mismatch {
    enum mismatch_rules rules;
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

/* The elements to multiples of which chunks are rounded up, so that those of
 * other counts begin at the same places (NCCL 2.30.7, src/device/all_reduce.h
 * 35: 16 bytes); 0: they are not. */
static inline int
mismatch_align(enum mismatch_rules rules, size_t element_bytes)
{
    return rules == RULES_NCCL ? 16 / (int)element_bytes : 0;
}

/* Whether a call with so many elements does nothing. */
static inline bool
mismatch_discards(const struct mismatch *m, int64_t count)
{
    return m->rules == RULES_NCCL && count == 0;
}

/* The transfers that ranks receive in: `its` into the rank, `theirs` into all
 * others.  This is what a mismatched run reports, and what is shown.  It is
 * valid, but it is wrong, and no backend can run it: nobody may send what a
 * rank receives.  Returns NULL if it exceeds the limits. */
struct schedule *mismatch_seen(const struct mismatch *m, struct err *err);

#endif
