/* SPDX-License-Identifier: MIT */
/* What is asked of a run besides its schedule: the same struct from the command
 * line's job down to the engine, and through requests to workers. */
#ifndef RUN_RUN_OPTIONS_H
#define RUN_RUN_OPTIONS_H

#include "event/purpose.h"
#include "run/rank_memory.h"
#include "schedule/mismatch.h"
#include "schedule/program.h"

/* Calls that are timed together, as nccl-tests does: a call runs all steps on
 * what the one before has left. */
struct timing {
    int calls;      /* 0: nothing is timed */
    int warm_up;    /* calls before them */
    bool unchecked; /* no verdict */
};

struct run_options {
    struct input input;
    struct timing timing; /* calls > 0: the run is plain, it reports no input
                           * and no transfers, and it is granted all steps at
                           * once; of the members below it may have `native`
                           * and what follows it */
    bool watched; /* ranks keep a ledger and report every transfer; the members
                   * below are for watched runs only */
    bool free;    /* the pace, for display: all steps are granted at once */
    bool in_turn; /* report granted steps once they are over, rank by rank, or
                   * as they come if that takes more than half a second */
    const int64_t *delays; /* ns before each step, by rank; DELAY_FOREVER: the
                            * rank never takes it; NULL: no rank is delayed */
    struct fault fault;
    const struct mismatch *mismatch; /* NULL: none. Else the run's schedule is
                                      * mismatch_seen(), its input has the
                                      * default pattern, and it is granted all
                                      * steps at once */
    bool native; /* afterwards run the backend library's own collective, too */
    const char *native_algorithm; /* the library's name of the algorithm that
                                   * it shall take; NULL: it chooses one */
    /* The front end's; requests do not have it. */
    const char *launcher; /* starts the worker (run/launcher.h); NULL: the
                           * backend's own */
};

#endif
