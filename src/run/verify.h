/* SPDX-License-Identifier: MIT */
/* The verdict: compares every rank's output with a reference, which is computed
 * from the inputs without looking at the schedule's steps (run/reference.h).
 *
 * Ranks that are promised the same result must hold the same bits (NaNs count
 * as the same) if they make the same additions in the same order, as
 * schedule/sums.h knows.  Where they do not, each is right by itself, and the
 * elements that differ are counted. */
#ifndef RUN_VERIFY_H
#define RUN_VERIFY_H

#include "event/event.h"
#include "run/rank_memory.h"
#include "schedule/mismatch.h"

/* Judges what a finished run has left.  Fills in correct, wrong, unequal,
 * overflowed and first_wrong. */
void verify(const struct schedule *s, const struct input *in,
            const struct rank_slots *found, struct run_result *result);

/* The same for a mismatched run: each rank's output is judged by the schedule
 * that it follows, as if all others followed it too.  `in` is that of the other
 * ranks. */
void verify_mismatched(const struct mismatch *m, const struct input *in,
                       const struct rank_slots *found,
                       struct run_result *result);

/* How much verify() has to do: the elements that it makes for its references
 * and those that it compares, in chunks. */
double verify_work(const struct schedule *s);

/* What came of a backend library's own collective, whose output is judged by
 * the reference and compared, element by element, with ours: `own` is the
 * library's by rank, its chunks in a row.  Fills in wrong, differ and apart of
 * `native`, and `wrong` with the first difference from the reference. */
void native_judge(const struct schedule *s, const struct input *in,
                  const struct rank_slots *ours,
                  const struct rank_slot *own, struct run_native *native,
                  struct wrong *wrong);

#endif
