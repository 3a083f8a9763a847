/* SPDX-License-Identifier: MIT */
/* Runs a program on GPUs: ranks are thread blocks, several a rank.
 *
 * What was granted is one cooperative launch on each GPU that has ranks; it
 * ends by itself, so in lockstep no kernel ever waits for a person.  In a
 * watched run, events come into mapped host memory while kernels run:
 *
 *     struct gpu_run *g = gpu_run_new(schedule, &options, &err);
 *     gpu_run_grant(g, 1, &at_ns, &err);             the first step
 *     while (!idle || more) {
 *         gpu_run_look(g, &idle, &err);
 *         more = gpu_run_event(g, &event);
 *     }
 *     gpu_run_fetch(g, &err);                        payloads, to be judged
 *     gpu_run_free(g);
 *
 * A rank's slots lie in the memory of its GPU, but those that some GPU without
 * peer access pulls from: they lie in mapped host memory (placement.h).
 * Counters and ledger do so only where several GPUs share them. */
#ifndef WORKERS_GPU_RUN_H
#define WORKERS_GPU_RUN_H

#include "base/err.h"
#include "event/event.h"
#include "run/input.h"
#include "run/slot.h"
#include "schedule/program.h"

struct gpu_run_options {
    struct input input;
    bool watched;
    /* watched only */
    const int64_t *delays; /* ns before each of its steps, by rank
                            * (RANK_FOREVER: never ends); or NULL */
    enum instr_fault fault; /* done to what fault_src sends in fault_step */
    int fault_step, fault_src;
};

struct gpu_run;

/* The schedule must be valid and outlive the run. NULL with the reason. */
struct gpu_run *gpu_run_new(const struct schedule *s,
                            const struct gpu_run_options *o, struct err *err);

/* Stops what runs. */
void gpu_run_free(struct gpu_run *g);

/* GPUs that have ranks, their names with their ranks, and the clocks'
 * uncertainty, into a run's info. */
void gpu_run_describe(const struct gpu_run *g, struct run_info *info);

/* Lets ranks run up to and with step `to`, from *at_ns of the run on. They must
 * be idle and every event taken; after the last step, begins again on whatever
 * data is there. */
bool gpu_run_grant(struct gpu_run *g, int to, int64_t *at_ns,
                   struct err *err);

/* Whether ranks have done all they were granted. False where a GPU failed. */
bool gpu_run_look(struct gpu_run *g, bool *idle, struct err *err);

/* Takes an event, if there is one: each rank's in its own order.  Its content
 * is good until the next grant. */
bool gpu_run_event(struct gpu_run *g, struct event *event);

/* Contents of all slots of the schedule of a rank, as they were at the begin
 * (content_words words each, event/ledger.h). Watched, before any grant. */
void gpu_run_contents(const struct gpu_run *g, int rank, uint64_t *contents);

/* Brings payloads and rows to where these are; for verify(). Ranks must be
 * idle. */
bool gpu_run_fetch(struct gpu_run *g, struct err *err);
const struct rank_slot *gpu_run_slots(const struct gpu_run *g, int *nslots);
const uint64_t *gpu_run_ledger(const struct gpu_run *g); /* NULL: plain */

#endif
