/* SPDX-License-Identifier: MIT */
/* Runs a schedule on a machine in this process, and compares its result with
 * the verdict and with threads:
 *
 *     ok(machine_runs(&machine_gpu, s, &options, &err), "it is right");
 *
 * The includer may define MACHINE_EVENT(event), to look at each event. */
#ifndef TESTS_MACHINE_RUNS_H
#define TESTS_MACHINE_RUNS_H

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "play.h"
#include "run/machine.h"
#include "why.h"

#ifndef MACHINE_EVENT
#define MACHINE_EVENT(event) ((void)(event))
#endif

enum { MACHINE_SHOWN = 16 };

/* How far ranks have come. */
struct machine_progress {
    int64_t nevents;
    int step[MACHINE_SHOWN]; /* of each rank's last event */
};

static bool
machine_hangs(const struct machine_progress *p, int nranks, int to,
              struct err *err)
{
    OWN(buf) steps = {0};

    for (int i = 0; i < nranks && i < MACHINE_SHOWN; i++)
        buf_addf(&steps, " %d", p->step[i]);
    err_set(err, "it hangs before the end of step %d, after %d events; the "
            "ranks' last ones are of steps%s", to, (int)p->nevents,
            buf_text(&steps));
    return false;
}

/* Waits until the steps up to `to` are over, and notes events. */
static bool
machine_finish(const struct machine *m, void *run, int nranks, int to,
               struct machine_progress *p, struct err *err)
{
    int64_t until = hung_at();
    struct event event;
    bool idle = false, more = false;

    while (!idle || more) {
        if (!m->look(run, &idle, err))
            return false;
        for (more = false; m->event(run, &event); more = true) {
            p->nevents++;
            if (event.dst < MACHINE_SHOWN)
                p->step[event.dst] = event.step;
            MACHINE_EVENT(&event);
        }
        if (clock_ns() > until)
            return machine_hangs(p, nranks, to, err);
    }
    return true;
}

static bool
machine_play(const struct machine *m, void *run, const struct schedule *s,
             bool free_pace, int64_t *nevents, struct rank_slots *found,
             struct err *err)
{
    struct machine_progress p = {0};
    int64_t at_ns;
    int to = free_pace ? s->nsteps : 0;

    do {
        to += to < s->nsteps;
        if (!m->grant(run, to, &at_ns, err) ||
            !machine_finish(m, run, s->nranks, to, &p, err))
            return false;
    } while (to < s->nsteps);
    *nevents = p.nevents;
    return m->fetch(run, found, err);
}

static bool
machine_is_right(const struct rank_slots *found, const struct schedule *s,
                 const struct input *in, struct err *err)
{
    struct run_result result = {0};

    verify(s, in, found, &result);
    return result.correct || err_set(err, "%s", why_of(&result.first_wrong));
}

/* Counts elements of an output slot whose bits differ from another run's.  A
 * slot may have room for more elements than its chunk has. */
static int64_t
machine_differences(const struct schedule *s, const struct input *in,
                    const struct rank_slot *ours,
                    const struct rank_slot *theirs, int rank, int chunk)
{
    int slot = schedule_output(s, rank).first + chunk;
    int held = schedule_promise(s, rank, chunk).chunk;
    size_t size = dtype_size(in->type);
    int64_t n = schedule_chunk_length(s, in->count, held), count = 0;

    for (int64_t i = 0; i < n; i++)
        count += memcmp(ours[slot].data + (size_t)i * size,
                        theirs[slot].data + (size_t)i * size, size) != 0;
    return count;
}

/* Whether all outputs have the same bits as on threads. */
static bool
machine_is_as_threads(const struct rank_slots *found,
                      const struct schedule *s, const struct input *in,
                      struct err *err)
{
    struct engine_options o = {.run.input = *in};
    OWNS(engine) *e = engine_new(s, &o, err);
    struct rank_slots theirs;
    int64_t differ = 0;

    if (e == NULL)
        return false;
    engine_run(e);
    theirs = engine_slots(e);
    for (int rank = 0; rank < s->nranks; rank++)
        for (int chunk = 0; chunk < schedule_output(s, rank).count; chunk++)
            differ += machine_differences(s, in,
                                          found->slots + rank * found->nslots,
                                          theirs.slots +
                                              rank * theirs.nslots,
                                          rank, chunk);
    return differ == 0 || err_set(err, "the bits of %lld elements differ from "
                                  "those of threads", (long long)differ);
}

/* Runs a schedule to its end, at the pace of o->free. Returns false, with the
 * reason in *err, if anything is wrong. */
static bool
machine_runs(const struct machine *m, const struct schedule *s,
             const struct run_options *o, struct err *err)
{
    void *run = m->new(s, o, err);
    int64_t nevents = 0;
    struct rank_slots found;
    bool ok = run != NULL &&
              machine_play(m, run, s, o->free, &nevents, &found, err) &&
              machine_is_right(&found, s, &o->input, err) &&
              machine_is_as_threads(&found, s, &o->input, err);

    if (ok && o->watched && (size_t)nevents < s->ntransfers)
        ok = err_set(err, "only %d events came of %zu transfers",
                     (int)nevents, s->ntransfers);
    m->free(run);
    return ok;
}

#endif
