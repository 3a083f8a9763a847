/* SPDX-License-Identifier: MIT */
/* Runs a program on the cores of this machine.
 *
 * Ranks are state machines (run/rank.h), not threads: min(N, cores) workers
 * each advance their own contiguous ranks, and a rank that would wait returns
 * to its worker.  So hundreds of ranks run on two cores without a context
 * switch.
 *
 * A plain engine records nothing; a watched one carries the ledger and reports
 * every transfer.  Either runs all steps in one call (engine_run), the calling
 * thread being one of the workers; or, where the caller has other things to
 * do, its workers have threads of their own and run what they are granted:
 *
 *     struct engine *e = engine_new(schedule, &options, &err);
 *     engine_grant(e, 1);                     the first step
 *     while (!engine_idle(e) || more)
 *         more = engine_next_event(e, &event);
 *     engine_free(e);
 */
#ifndef RUN_ENGINE_H
#define RUN_ENGINE_H

#include "event/event.h"
#include "run/run_options.h"
#include "run/slot.h"

struct engine_options {
    struct run_options run;
    bool own_threads; /* engine_grant() instead of engine_run() */
    int threads;      /* 0: as many as pay off */
    int64_t slice;    /* bytes of a chunk in one pass; 0: a good one */
    int wake_fd; /* an eventfd, written to when there is news; -1: none */
};

struct engine;

/* The schedule must be valid and outlive the engine. NULL with the reason. */
struct engine *engine_new(const struct schedule *s,
                          const struct engine_options *o, struct err *err);

/* Stops what runs, also a rank that is delayed forever. */
void engine_free(struct engine *e);

int engine_threads(const struct engine *e);

/* Lets ranks begin again with step 1, on whatever data is there. */
void engine_again(struct engine *e);

/* The same, with every rank's input written again. */
void engine_reset(struct engine *e);

/* All steps once, on this thread and the pool's. */
void engine_run(struct engine *e);

/* Lets ranks run up to and with step `to`, on their own threads.  They must be
 * idle and every event taken. Returns the time, in ns from the first grant
 * on. */
int64_t engine_grant(struct engine *e, int to);

/* Whether ranks have done all they were granted. */
bool engine_idle(const struct engine *e);

/* Takes an event, if there is one: each rank's in its own order.  Its content
 * is good until the next grant. */
bool engine_next_event(struct engine *e, struct event *event);

/* Asks for wake_fd to be written once there is more to take. */
void engine_want_wake(struct engine *e);

/* Watched: contents of all slots of the schedule of a rank, as they were put
 * there (content_words words each, event/ledger.h). Before any grant. */
void engine_contents(const struct engine *e, int rank, uint64_t *contents);

/* Where payloads are, [rank * nslots + slot], and rows; for verify(). */
const struct rank_slot *engine_slots(const struct engine *e, int *nslots);
const uint64_t *engine_ledger(const struct engine *e);

#endif
