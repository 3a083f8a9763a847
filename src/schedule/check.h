/* SPDX-License-Identifier: MIT */
/* Proof: runs a schedule on symbols and judges it.
 *
 * Every slot holds a set of contributions instead of numbers: which ranks'
 * data is in it, how it got there and of which chunk.  A schedule is right if
 *
 *   - every output ends as its collective promises (schedule_promise), with
 *     every contribution exactly once;
 *   - no input is written, if the schedule is out of place;
 *   - every transfer has a link (topology.h);
 *   - no transfer sends, copies or adds to a slot that was never written.
 *     Such memory may hold anything, so that this is wrong even if no output
 *     depends on it;
 *   - no chunk is written to a slot that is made for a shorter one, as there
 *     are where the chunks do not divide the count.
 *
 * The proof is exact for any number of ranks.  If there are several faults, it
 * reports the first one in time.  The same pass counts steps and elements. */
#ifndef SCHEDULE_CHECK_H
#define SCHEDULE_CHECK_H

#include "schedule/schedule.h"

struct check_counts {
    int steps;             /* that move data between ranks */
    int ports;             /* the most peers that a rank sends to, or receives
                            * from, in one step */
    int64_t total;         /* elements over all links */
    int64_t most_sent;     /* elements that the busiest rank sends */
    int64_t most_received; /* elements that the busiest rank receives */
    int64_t busiest_link;  /* elements from one rank to another */
    int64_t reduced;       /* elements that all ranks combine with their own */
    int64_t most_reduced;  /* elements that the busiest rank combines so */
    int unkept;            /* output chunks that are not as promised */
};

/* Returns whether a schedule is right.  A switch may be the busiest rank, and
 * have the most peers, without being counted as such.  If the schedule is
 * wrong, *err has the reason:
 * "step 1: rank 0 adds to slot 8, chunk 0 of its scratch, which was never
 * written", "chunk 0 of rank 2's output ends as A0+B0: C0 is missing".
 * Unless NULL, *counts is filled in either case, for inputs of `count`
 * elements (scatter: the root's); all 0 for an invalid schedule. */
bool schedule_check(const struct schedule *s, int64_t count,
                    struct check_counts *counts, struct err *err);

#endif
