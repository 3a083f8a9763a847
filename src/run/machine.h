/* SPDX-License-Identifier: MIT */
/* A machine runs ranks: a table of functions, so that reporting what happens
 * (run/reporter.h) is the same for all machines.
 *
 *     void *run = machine->new(schedule, &options, &err);
 *     machine->grant(run, 1, &at_ns, &err);             the first step
 *     while (!idle || more) {
 *         machine->look(run, &idle, &err);
 *         more = machine->event(run, &event);
 *     }
 *     machine->fetch(run, &err);                        for the verdict
 *     machine->free(run); */
#ifndef RUN_MACHINE_H
#define RUN_MACHINE_H

#include "base/buf.h"
#include "base/err.h"
#include "event/event.h"
#include "run/rank_memory.h"
#include "run/run_options.h"

struct machine {
    const char *backend; /* its name */

    /* The schedule must be valid and outlive the run. Returns NULL on failure,
     * with the reason. */
    void *(*new)(const struct schedule *s, const struct run_options *o,
                 struct err *err);

    /* Stops all ranks. Does nothing for NULL. */
    void (*free)(void *run);

    /* Fills in a run's devices, which ranks are on them, and the uncertainty of
     * the clocks; cores if they are known. */
    void (*describe)(void *run, struct run_info *info);

    /* Lets ranks run up to and including step `to`, from time *at_ns of the run
     * on. They must be idle and every event taken. */
    bool (*grant)(void *run, int to, int64_t *at_ns, struct err *err);

    /* Sets *idle: whether ranks have finished all granted steps. Returns false
     * if a GPU or a rank failed. */
    bool (*look)(void *run, bool *idle, struct err *err);

    /* Takes an event, if there is one. The events of one rank come in order.
     * Their content is valid until the next grant. */
    bool (*event)(void *run, struct event *event);

    /* Brings payloads and rows into this process, for verify(): fills in where
     * they are. Ranks must be idle. */
    bool (*fetch)(void *run, struct rank_slots *found, struct err *err);

    /* Appends what the run waits for besides its ranks' work (run_note() in
     * run/backend.h). Returns false for nothing. NULL: never anything. */
    bool (*note)(void *run, struct buf *text);

    /* While ranks are idle, look() is called, and note(), whenever so many ms
     * have passed. 0: never. */
    int tick_ms;

    /* Finds what is wrong in a mismatched run, as it was at the last look():
     * while ranks are not idle, why they can never go on (waits_hang()); when
     * they are idle, which message does not fit (waits_unfit()).  Returns
     * false for nothing, and leaves *wrong as it was.  NULL: it runs no
     * mismatch. */
    bool (*mismatch)(void *run, struct wrong *wrong);

    /* Runs all steps of a plain run `calls` times in a row, on what its slots
     * hold, and waits for that. *ns is the time of all calls. Ranks must be
     * idle.  NULL: nothing can be timed. */
    bool (*time)(void *run, int calls, int64_t *ns, struct err *err);

    /* Runs the backend library's own collective and compares its result with
     * ours, which must have been fetched. In a timed run it is timed as well.
     * NULL: there is no such library. */
    bool (*compare)(void *run, struct run_native *native, struct wrong *wrong,
                    struct err *err);
};

/* Those of this process: the engine (run/engine.h), and the exchange of
 * mismatched runs (run/exchange.c), which is granted all steps at once. */
extern const struct machine machine_threads, machine_exchange;

#endif
