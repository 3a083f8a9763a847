/* SPDX-License-Identifier: MIT */
/* Runs for tests: a schedule by its algorithm's name, played to its end on an
 * engine or on a backend, and compared with the threads backend. */
#ifndef TESTS_PLAY_H
#define TESTS_PLAY_H

#include <poll.h>
#include <sched.h>

#include "schedules.h"
#include "model_of_events.h"
#include "patience.h"
#include "run/backend.h"
#include "run/engine.h"
#include "run/verify.h"
#include "tap.h"

OWN_FREE(engine)

/* Returns the step to grant next, after `granted` (-1: none so far). */
static inline int
next_grant(const struct schedule *s, int granted, bool free_pace)
{
    if (free_pace || granted + 1 >= s->nsteps)
        return s->nsteps;
    return granted < 0 ? 1 : granted + 1;
}

/* Plays an engine with threads of its own to its end and drops its events. */
static inline void
play_engine(struct engine *e, const struct schedule *s, bool free_pace)
{
    struct event event;
    int granted = -1;

    while (granted < s->nsteps) {
        granted = next_grant(s, granted, free_pace);
        engine_grant(e, granted, &(int64_t){0}, NULL);
        while (!engine_idle(e) || engine_next_event(e, &event)) {
            while (engine_next_event(e, &event))
                continue;
            sched_yield();
        }
    }
}

/* The verdict on what an engine's slots hold. */
static inline struct run_result
engine_verdict(const struct engine *e, const struct schedule *s,
               const struct input *in)
{
    struct rank_slots found = engine_slots(e);
    struct run_result result = {0};

    verify(s, in, &found, &result);
    return result;
}

/* The verdict on a run.  A watched one has threads of its own. */
static inline struct run_result
judged(const struct schedule *s, const struct engine_options *options,
       bool lockstep)
{
    struct engine_options o = *options;
    struct run_result result = {0};
    struct err err;
    OWNS(engine) *e = NULL;

    o.own_threads = o.run.watched;
    if ((e = engine_new(s, &o, &err)) == NULL)
        die("%s", err.text);
    if (o.run.watched)
        play_engine(e, s, !lockstep);
    else
        engine_run(e);
    result = engine_verdict(e, s, &o.run.input);
    return result;
}

/* Waits until the run may have an item again. Returns false if it has none for
 * half a minute. */
static inline bool
wait_for(struct run *run)
{
    struct pollfd fd = {.fd = run_fd(run), .events = POLLIN};

    return poll(&fd, 1, HUNG_MS) > 0;
}

/* Plays a run to its end. Returns false, with the reason, on failure. */
static inline bool
play(struct run *run, const struct schedule *s, bool free_pace,
     struct reported *reported, struct err *err)
{
    struct item item;
    int granted = -1;

    while (!reported->counts[ITEM_END])
        switch (run_next(run, &item, err)) {
        case RUN_ITEM:
            reported_take(reported, &item);
            break;
        case RUN_LATER:
            if (!wait_for(run))
                return err_set(err, "the run yields no more items");
            break;
        case RUN_CAUGHT_UP:
            granted = next_grant(s, granted, free_pace);
            if (!run_grant(run, granted, err))
                return false;
            break;
        default:
            return false;
        }
    return true;
}

/* Runs a schedule to its end.  Returns false, with the reason in *err, if the
 * run fails, if its result is wrong, or if its events do not add up to what was
 * promised.  Call reported_done() in any case. */
static inline bool
run_on(const struct backend *backend, const struct schedule *s,
       const struct run_options *o, struct reported *reported, struct err *err)
{
    struct run *run = run_open(backend, s, o, err);
    bool ok;

    reported_init(reported, s);
    ok = run != NULL && play(run, s, o->free, reported, err);
    run_close(run);
    if (ok && !reported->correct)
        ok = err_set(err, "the result is wrong: %s", reported->why);
    if (ok && reported->wrong_outputs > 0)
        ok = err_set(err, "events do not add up to what was promised");
    return ok;
}

/* The same, where only success matters. */
static inline bool
runs_on(const struct backend *backend, const struct schedule *s,
        const struct run_options *o, struct err *err)
{
    OWN(reported) reported;
    bool ok = run_on(backend, s, o, &reported, err);

    return ok;
}

/* Whether a backend reports as many transfers as the threads backend, and the
 * same rows and values in every slot. */
static inline bool
is_as_threads(const struct backend *backend, const struct schedule *s,
              const struct run_options *o, struct err *err)
{
    size_t words = (size_t)s->nranks * (size_t)s->nslots *
                   (size_t)content_words(s->nranks);
    OWN(reported) ours, theirs;
    bool ok = run_on(&backend_threads, s, o, &theirs, err);

    ok = run_on(backend, s, o, &ours, err) && ok;
    if (ok && (ours.counts[ITEM_TRANSFER] != theirs.counts[ITEM_TRANSFER] ||
               memcmp(ours.contents, theirs.contents,
                      words * sizeof *ours.contents) != 0))
        ok = err_set(err, "it differs from threads");
    return ok;
}

/* is_as_threads() for the algorithm at `index` of coll_at(), on n ranks; place,
 * pace and order of events vary with both numbers. */
static inline bool
algorithm_is_as_threads(const struct backend *backend, int index, int n)
{
    const struct algorithm *a = coll_at(index);
    struct run_options o = {
        .input = {DTYPE_FLOAT32, REDOP_SUM, 4 * n + 3, NULL},
        .free = (index + n) % 2, .in_turn = n % 3 == 0};
    struct err err = {.text = ""};
    OWNS(schedule) *s = build_rooted(a, n, n % 2, &err);
    bool same = s != NULL && is_as_threads(backend, s, &o, &err);

    if (!same)
        diag("%d ranks: %s", n, err.text);
    return same;
}

/* Faults made on purpose are seen, with this type. */
static inline void
faults_are_seen(const struct backend *backend, enum dtype type)
{
    static const struct {
        enum instr_fault fault;
        enum redop op;
        int step;
        const char *found; /* in the reason */
    } cases[] = {
        {FAULT_DROP, REDOP_SUM, 1, "expected"},
        {FAULT_DROP, REDOP_SUM, 4, "expected"},
        {FAULT_REPEAT, REDOP_SUM, 1, "expected"},
        {FAULT_REPEAT, REDOP_MAX, 1, "2*"}, /* seen by the ledger alone */
        {FAULT_CORRUPT, REDOP_SUM, 1, "expected"},
        {FAULT_CORRUPT, REDOP_PROD, 2, "expected"},
        {FAULT_CORRUPT, REDOP_MIN, 1, "expected"},
        {FAULT_CORRUPT, REDOP_MAX, 3, "expected"},
    };
    OWNS(schedule) *s = ring(3);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct run_options o = {.input = {type, cases[i].op, 6, NULL},
                                .fault = {cases[i].fault, cases[i].step, 2}};
        OWN(reported) reported;
        struct err err;
        run_on(backend, s, &o, &reported, &err);
        ok(!reported.correct && strstr(reported.why, cases[i].found) != NULL,
           "%s %s: fault %d in step %d is seen: %s", dtype_name(type),
           redop_name(cases[i].op), cases[i].fault, cases[i].step,
           reported.why);
    }
}

#endif
