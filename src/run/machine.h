/* SPDX-License-Identifier: MIT */
/* What runs ranks for collviz-cuda: a table of functions, so that the loop that
 * listens and tells (workers/collviz_cuda.c) is one for all of them.
 *
 *     void *run = machine->new(schedule, &options, &err);
 *     machine->grant(run, 1, &at_ns, &err);             the first step
 *     while (!idle || more) {
 *         machine->look(run, &idle, &err);
 *         more = machine->event(run, &event);
 *     }
 *     machine->fetch(run, &err);                        payloads, to be judged
 *     machine->free(run); */
#ifndef RUN_MACHINE_H
#define RUN_MACHINE_H

#include "base/err.h"
#include "event/event.h"
#include "run/run_options.h"
#include "run/slot.h"

struct machine {
    const char *backend; /* its name */

    /* The schedule must be valid and outlive the run. NULL with the reason. */
    void *(*new)(const struct schedule *s, const struct run_options *o,
                 struct err *err);

    /* Stops what runs. NULL is none. */
    void (*free)(void *run);

    /* GPUs that have ranks, their names with their ranks, and the clocks'
     * uncertainty, into a run's info. */
    void (*describe)(void *run, struct run_info *info);

    /* Lets ranks run up to and with step `to`, from *at_ns of the run on. They
     * must be idle and every event taken. */
    bool (*grant)(void *run, int to, int64_t *at_ns, struct err *err);

    /* Whether ranks have done all they were granted. False where a GPU or a
     * rank failed. */
    bool (*look)(void *run, bool *idle, struct err *err);

    /* Takes an event, if there is one: each rank's in its own order.  Its
     * content is good until the next grant. */
    bool (*event)(void *run, struct event *event);

    /* Contents of all slots of the schedule of a rank, as they were at the
     * begin (content_words words each, event/ledger.h). Watched, before any
     * grant. */
    void (*contents)(void *run, int rank, uint64_t *contents);

    /* Brings payloads and rows to where these are; for verify(). Ranks must
     * be idle. */
    bool (*fetch)(void *run, struct err *err);
    const struct rank_slot *(*slots)(void *run, int *nslots);
    const uint64_t *(*ledger)(void *run); /* NULL: plain */

    /* The same as the library below does it by itself, and what came of it
     * besides ours, which was fetched. NULL: it has no such thing. */
    bool (*compare)(void *run, struct run_native *native,
                    char wrong[RUN_WRONG_MAX], struct err *err);
};

#endif
