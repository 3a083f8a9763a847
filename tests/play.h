/* SPDX-License-Identifier: MIT */
/* Runs for tests: a schedule by its algorithm's name, played to its end on an
 * engine or on a backend. */
#ifndef TESTS_PLAY_H
#define TESTS_PLAY_H

#include <poll.h>

#include "coll/coll.h"
#include "model_of_events.h"
#include "run/backend.h"
#include "run/engine.h"

/* A schedule that must exist; the caller frees it. */
static inline struct schedule *
build(const char *name, const struct coll_options *o)
{
    const struct algorithm *a;
    struct schedule *s = NULL;
    struct err err;

    if (!coll_find(name, &a, &err) || (s = coll_build(a, o, &err)) == NULL)
        die("%s", err.text);
    return s;
}

static inline struct schedule *
ring(int nranks)
{
    return build("ring-allreduce", &(struct coll_options){
                                       .nranks = nranks, .in_place = true});
}

/* The step to grant next, after `granted` (-1: none so far). */
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
        engine_grant(e, granted);
        while (!engine_idle(e) || engine_next_event(e, &event))
            while (engine_next_event(e, &event))
                continue;
    }
}

/* Waits until the run may have something again. Returns false after half a
 * minute. */
static inline bool
wait_for(struct run *run)
{
    struct pollfd fd = {.fd = run_fd(run), .events = POLLIN};

    return poll(&fd, 1, 30000) > 0;
}

/* Plays a run to its end. Returns false, with the reason, on failure. */
static inline bool
play(struct run *run, const struct schedule *s, bool free_pace,
     struct told *told, struct err *err)
{
    struct item item;
    int granted = -1;

    while (!told->counts[ITEM_END])
        switch (run_next(run, &item, err)) {
        case RUN_ITEM:
            told_take(told, &item);
            break;
        case RUN_LATER:
            if (!wait_for(run))
                return err_set(err, "nothing more comes");
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

/* A whole run.  Returns false, with the reason, if it fails, if its result is
 * wrong, or if its events do not add up to what was promised.  The caller calls
 * told_done() in either case. */
static inline bool
run_on(const struct backend *backend, const struct schedule *s,
       const struct run_options *o, struct told *told, struct err *err)
{
    struct run *run = run_open(backend, s, o, err);
    bool ok;

    told_init(told, s);
    ok = run != NULL && play(run, s, o->free, told, err);
    run_close(run);
    if (ok && !told->correct)
        ok = err_set(err, "the result is wrong: %s", told->why);
    if (ok && told->wrong_outputs > 0)
        ok = err_set(err, "events do not add up to what was promised");
    return ok;
}

#endif
