/* SPDX-License-Identifier: MIT */
/* Runs a program on the cores of this machine.
 *
 * Ranks are state machines (run/rank.h), not threads.  There are min(N, cores)
 * threads, each of which advances ranks of its own; a rank that would have to
 * wait returns to its thread.  So hundreds of ranks run on two cores without
 * context switches.
 *
 * A plain engine records nothing; a watched one carries the ledger and reports
 * every transfer.  Either runs all steps in one call (engine_run), in which
 * the calling thread takes part.  Or, if the caller has other things to do, the
 * engine has threads of its own, which run the steps they are granted:
 *
 *     struct engine *e = engine_new(schedule, &options, &err);
 *     engine_grant(e, 1, &at_ns, &err);       the first step
 *     while (!engine_idle(e) || more)
 *         more = engine_next_event(e, &event);
 *     engine_free(e);
 *
 * machine_threads is this as a machine (run/machine.h), whose run is the
 * engine: hence the functions that take a pointer to void. */
#ifndef RUN_ENGINE_H
#define RUN_ENGINE_H

#include "event/event.h"
#include "run/rank_memory.h"
#include "run/run_options.h"

struct engine_options {
    struct run_options run;
    bool own_threads; /* engine_grant() instead of engine_run() */
    int threads;      /* 0: the engine chooses */
    int64_t slice;    /* bytes of a chunk in one pass; 0: the engine chooses */
};

struct engine;

/* The schedule must be valid and outlive the engine. Returns NULL on failure,
 * with the reason. */
struct engine *engine_new(const struct schedule *s,
                          const struct engine_options *o, struct err *err);

/* Stops all ranks, even one that is delayed forever. */
void engine_free(void *engine);

int engine_threads(const struct engine *e);

/* Writes every rank's input again; ranks start again with step 1. */
void engine_reset(struct engine *e);

/* Runs all steps once, on the data that is in the slots, on this thread and the
 * pool's. */
void engine_run(struct engine *e);

/* Functions of the machine (run/machine.h), which never fail. */
bool engine_time(void *engine, int calls, int64_t *ns, struct err *err);
bool engine_grant(void *engine, int to, int64_t *at_ns, struct err *err);
bool engine_next_event(void *engine, struct event *event);

/* Whether ranks have finished all granted steps. */
bool engine_idle(const struct engine *e);

/* The payloads and rows of all ranks, as verify() takes them. */
struct rank_slots engine_slots(const struct engine *e);

/* The name of this machine's processor, as the system reports it. */
void engine_processor(char name[RUN_NAME_MAX]);

#endif
