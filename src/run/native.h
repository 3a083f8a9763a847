/* SPDX-License-Identifier: MIT */
/* What came of a backend library's own collective: its output judged by the
 * reference and compared, element by element, with ours, and the time that it
 * took. */
#ifndef RUN_NATIVE_H
#define RUN_NATIVE_H

#include "event/event.h"
#include "run/input.h"
#include "run/slot.h"

/* It runs so many times; the first does not count, since connections are made
 * then. */
enum { NATIVE_ROUNDS = 7 };

/* When one rank called it and had its result. */
struct native_times {
    int64_t begin_ns[NATIVE_ROUNDS], end_ns[NATIVE_ROUNDS];
    int64_t timed_ns; /* in a timed run: of all timed calls together */
};

/* `ours` are the slots of a finished run, `nslots` of each rank; `own` is the
 * library's output by rank, its chunks in a row.  Fills in wrong and differ of
 * `native`, and `wrong` with the first difference from the reference. */
void native_judge(const struct schedule *s, const struct input *in,
                  const struct rank_slot *ours, int nslots,
                  const struct rank_slot *own, struct run_native *native,
                  char wrong[RUN_WRONG_MAX]);

/* The median, in ns, of the times from the last rank's call to the last rank's
 * result. */
int64_t native_ns(const struct native_times *const *times, int nranks);

/* The longest time of a rank's timed calls, in ns. */
int64_t native_timed_ns(const struct native_times *const *times, int nranks);

#endif
