/* SPDX-License-Identifier: MIT */
/* Proof: runs a schedule on symbols and judges it.
 *
 * Every slot holds a set of contributions instead of numbers: which ranks'
 * data is in it, how it got there and of which chunk.  In the end every output
 * must hold what its collective promises (schedule_promise), every
 * contribution exactly once; out of place no input may have been written;
 * every transfer must have a link (topology.h); and none may send, copy or add
 * to a slot that nobody wrote before: memory holds anything at all there, so
 * that is wrong even where no output depends on it.
 * The same run counts steps and bytes.  It is exact for any number of ranks,
 * and of several faults it says the first one in time. */
#ifndef SCHEDULE_CHECK_H
#define SCHEDULE_CHECK_H

#include "schedule/schedule.h"

struct cost {
    int steps;         /* with traffic between ranks */
    int ports;         /* most peers that a rank sends to, or receives from, in
                        * one step */
    int64_t total;     /* elements over all links */
    int64_t most_sent; /* elements the busiest rank sends */
    int64_t most_received;
    int64_t busiest_link; /* elements from one rank to another */
    int64_t *sent;        /* elements, by rank; cost_done() frees it */
};

/* True for a right schedule.  False with the reason, when it is not valid or
 * not right: "step 1: rank 0 adds to slot 8, chunk 0 of its scratch, which was
 * never written", "chunk 0 of rank 2's output ends as A0+B0: C0 is missing".  The
 * cost is for inputs of `count` elements (scatter: the root's), filled
 * whatever the verdict; NULL where it is not wanted. */
bool schedule_check(const struct schedule *s, int64_t count, struct cost *cost,
                    struct err *err);
void cost_done(struct cost *cost);

#endif
