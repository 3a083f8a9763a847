/* SPDX-License-Identifier: MIT */
/* A machine whose ranks do what the test says, when it says so.  Its schedule
 * is a ring on two ranks, two transfers a step; the payloads are right from the
 * start.
 *
 *     scripted = (struct scripted){.available = 1};
 *     r = reporter_new(&machine_scripted, s, &options, &err); */
#ifndef TESTS_SCRIPTED_MACHINE_H
#define TESTS_SCRIPTED_MACHINE_H

#include "play.h"
#include "run/machine.h"

enum { SCRIPTED_EVENTS = 4 };

static struct scripted {
    struct engine *engine; /* has the payloads */
    int64_t at_ns;         /* what the next grant returns */
    int64_t end_ns[SCRIPTED_EVENTS];
    int available; /* events that may be taken, since the run began */
    int taken;
    bool idle;
    void (*on_look)(void); /* called before a look; or NULL */
    int timed[2];          /* calls that were asked for, warm-up first */
    int ntimed, nfetched;
} scripted;

static void *
scripted_new(const struct schedule *s, const struct run_options *o,
             struct err *err)
{
    struct engine_options plain = {.run.input = o->input};

    scripted.engine = engine_new(s, &plain, err);
    if (scripted.engine == NULL)
        return NULL;
    engine_run(scripted.engine);
    return &scripted;
}

static void
scripted_free(void *run)
{
    if (run != NULL)
        engine_free(scripted.engine);
}

static void
scripted_describe(void *run, struct run_info *info)
{
    (void)run;
    info->nplaces = info->ndevices = 1;
}

static bool
scripted_grant(void *run, int to, int64_t *at_ns, struct err *err)
{
    (void)run, (void)to, (void)err;
    *at_ns = scripted.at_ns;
    return true;
}

static bool
scripted_look(void *run, bool *idle, struct err *err)
{
    (void)run, (void)err;
    if (scripted.on_look != NULL)
        scripted.on_look();
    *idle = scripted.idle;
    return true;
}

static bool
scripted_event(void *run, struct event *event)
{
    int i = scripted.taken;

    (void)run;
    if (i >= scripted.available)
        return false;
    scripted.taken++;
    *event = (struct event){.step = 1 + i / 2, .src = i % 2, .dst = 1 - i % 2,
                            .nslots = 1, .waited_for = -1, .slice = 1,
                            .bytes = 4, .begin_ns = scripted.end_ns[i],
                            .end_ns = scripted.end_ns[i]};
    return true;
}

static bool
scripted_fetch(void *run, struct rank_slots *found, struct err *err)
{
    (void)run, (void)err;
    *found = engine_slots(scripted.engine);
    scripted.nfetched++;
    return true;
}

/* Spoils the payloads: what is judged afterwards is wrong. */
static bool
scripted_time(void *run, int calls, int64_t *ns, struct err *err)
{
    struct rank_slots all = engine_slots(scripted.engine);

    (void)run, (void)err;
    for (int slot = 0; slot < all.nslots; slot++)
        memset(all.slots[slot].data, 0x7f, (size_t)all.slots[slot].length);
    scripted.timed[scripted.ntimed++ % 2] = calls;
    *ns = 1000 * (int64_t)calls;
    return true;
}

static const struct machine machine_scripted = {
    .backend = "scripted",
    .new = scripted_new,
    .free = scripted_free,
    .describe = scripted_describe,
    .grant = scripted_grant,
    .look = scripted_look,
    .event = scripted_event,
    .fetch = scripted_fetch,
    .time = scripted_time,
};

#endif
