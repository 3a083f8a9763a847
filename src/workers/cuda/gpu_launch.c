/* SPDX-License-Identifier: MIT */
#include "workers/cuda/gpu_run.h"

#include <assert.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/prepare.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/kernels.h"
#include "workers/cuda/placement.h"

enum {
    ROUNDS = 16,
    SPIN_NS = 20000,
    ANSWER_NS = 2000000000, /* the longest that either side waits */
    STOP_NS = 1000000000, /* a kernel has to give up within this time */
    DRIFT_NS = 100000000, /* clocks are compared again after this time */
};

/* Asks the GPU for its time once more. */
static bool
ask(struct gpu_clock_desk *desk, uint64_t round, struct gpu_clock *clock,
    struct err *err)
{
    int64_t begin = clock_ns(), now, half;

    __atomic_store_n(&desk->asked, round, __ATOMIC_RELEASE);
    while (__atomic_load_n(&desk->answered, __ATOMIC_ACQUIRE) < round) {
        now = clock_ns();
        if (now - begin > SPIN_NS)
            sched_yield(); /* this round will not be the best */
        if (now - begin > ANSWER_NS)
            return err_set(err, "the GPU does not run what it is given: is "
                           "another program keeping it (nvidia-smi shows "
                           "that), or does a profiler or WSL make launches "
                           "block?");
    }
    half = (clock_ns() - begin + 1) / 2;
    *clock = (struct gpu_clock){begin + half - (int64_t)desk->time_ns,
                                half + (int64_t)desk->tick_ns};
    return true;
}

/* Compares the clock of one GPU, which becomes the current one.  The first
 * round does not count: it also waits for the kernel to start. */
static bool
compare_clock(struct gpu_side *side, struct gpu_clock_desk *desk,
              struct err *err)
{
    struct kernel_clock call = {&desk->asked, &desk->answered, &desk->time_ns,
                                &desk->tick_ns, ROUNDS, ANSWER_NS, &desk->stop};
    void *arguments[] = {&call};
    struct gpu_clock clock;
    bool ok;

    *desk = (struct gpu_clock_desk){0};
    side->clock = (struct gpu_clock){0, INT64_MAX};
    ok = gpu_use(side, err) &&
         cuda_ok(cudaLaunchKernel((const void *)kernel_clock_tell,
                                  (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments,
                                  0, side->stream),
                 "comparing clocks", err);
    if (!ok)
        return false;
    for (uint64_t round = 1; ok && round <= ROUNDS; round++) {
        ok = ask(desk, round, &clock, err);
        if (ok && round > 1 &&
            clock.uncertainty_ns < side->clock.uncertainty_ns)
            side->clock = clock;
    }
    __atomic_store_n(&desk->stop, 1, __ATOMIC_RELEASE);
    return ok && cuda_ok(cudaStreamSynchronize(side->stream),
                         "comparing clocks", err);
}

bool
gpu_compare_clocks(struct gpu_run *g, struct err *err)
{
    if (g->compared_ns != 0 && clock_ns() < g->compared_ns + DRIFT_NS)
        return true;
    g->compared_ns = clock_ns();
    for (int i = 0; i < g->placement.ngpus; i++)
        if (!compare_clock(&g->sides[i], g->desk, err))
            return false;
    return true;
}

/* Mapped memory of at least `bytes`, in place of this, which has *room. */
static void *
grow(struct gpu_run *g, void *memory, size_t *room, size_t bytes,
     struct err *err)
{
    if (bytes <= *room)
        return memory;
    gpu_memory_free(&g->memory, memory);
    *room = bytes;
    return gpu_memory_mapped(&g->memory, bytes, err);
}

/* Makes room for everything that the granted range can report. */
static bool
make_room(struct gpu_run *g, struct err *err)
{
    size_t words = (size_t)content_words(g->s->nranks);
    size_t nevents = 0, ncontents = 0;

    for (int rank = 0; rank < g->s->nranks; rank++) {
        struct log_room r = prepare_room(&g->call, g->p, &g->ranges[rank]);
        nevents += r.events;
        ncontents += r.contents;
    }
    g->events = grow(g, g->events, &g->events_room,
                     nevents * sizeof *g->events, err);
    g->contents = grow(g, g->contents, &g->contents_room,
                       ncontents * words * sizeof *g->contents, err);
    if (g->memory.failed)
        return false;
    log_reader_restart(&g->reader);
    nevents = ncontents = 0;
    for (int rank = 0; rank < g->s->nranks; rank++) {
        struct log_room r = prepare_room(&g->call, g->p, &g->ranges[rank]);
        g->logs[rank] = (struct rank_log){
            .events = g->events + nevents,
            .contents = g->contents + ncontents * words,
            .published = &g->published[rank].events};
        g->published[rank].events = 0;
        nevents += r.events;
        ncontents += r.contents;
    }
    return true;
}

static bool
send_ranks(const struct gpu_run *g, struct gpu_side *side, struct err *err)
{
    int nblocks = g->call.nblocks;
    size_t n = (size_t)side->nranks;
    struct rank *ranks = side->ranks;

    for (int i = 0; i < side->nranks; i++)
        for (int block = 0; block < nblocks; block++) {
            struct rank *r = &ranks[i * nblocks + block];
            *r = g->ranges[side->first + i];
            r->block = block;
            r->log = side->logs + i;
        }
    return gpu_use(side, err) &&
           cuda_ok(cudaMemcpyAsync(side->call.ranks, ranks,
                                   n * (size_t)nblocks * sizeof *ranks,
                                   cudaMemcpyHostToDevice, side->stream),
                   "sending ranks to the GPU", err) &&
           (!g->options.watched ||
            cuda_ok(cudaMemcpyAsync(side->logs, g->logs + side->first,
                                    n * sizeof *side->logs,
                                    cudaMemcpyHostToDevice, side->stream),
                    "sending ranks to the GPU", err));
}

/* No kernel may be running.  A stream orders its own copy before its own
 * kernel; but kernels of other GPUs must find the counters reset as well. */
static bool
reset_counters(const struct gpu_run *g, struct err *err)
{
    int n = g->placement.ngpus;

    for (int i = 0; i < n; i++) {
        const struct gpu_side *side = &g->sides[i];
        const struct rank_counter *zero =
            g->zero + side->first * g->call.nblocks;
        size_t bytes = gpu_counters_bytes(g, side->nranks);
        if (!g->counters_on_gpus)
            memcpy(side->counters, zero, bytes); /* both in host memory */
        else if (!gpu_use(side, err) ||
                 !cuda_ok(cudaMemcpyAsync(side->counters, zero, bytes,
                                          cudaMemcpyHostToDevice,
                                          side->stream),
                          "sending counters to the GPU", err))
            return false;
    }
    for (int i = 0; n > 1 && i < n; i++)
        if (!cuda_ok(cudaStreamSynchronize(g->sides[i].stream),
                     "sending counters to the GPU", err))
            return false;
    return true;
}

static bool
launch(const struct gpu_run *g, struct gpu_side *side, struct err *err)
{
    void *arguments[] = {&side->call};
    dim3 grid = {(unsigned)(side->nranks * g->call.nblocks), 1, 1};
    dim3 block = {LAUNCH_THREADS, 1, 1};

    side->call.ranks_call.slice = g->call.slice;
    side->call.ranks_call.nslices = g->call.nslices;
    side->call.ranks_call.first_stripe = g->call.first_stripe;
    side->call.ranks_call.stripe = g->call.stripe;
    side->call.ranks_call.longer_stripes = g->call.longer_stripes;
    side->call.epoch_ns = side->clock.ahead_ns - g->start_ns;
    side->running =
        gpu_use(side, err) &&
        cuda_ok(cudaLaunchCooperativeKernel((const void *)kernel_ranks, grid,
                                            block, arguments, 0,
                                            side->stream),
                "starting ranks", err);
    return side->running;
}

/* No call between two launches may wait for a GPU: the ranks of the first
 * launch wait for those of the second. */
bool
gpu_run_grant(void *run, int to, int64_t *at_ns, struct err *err)
{
    struct gpu_run *g = run;
    bool begins = g->granted == 0 || g->granted == g->s->nsteps, ok = true;
    bool all = begins && to == g->s->nsteps;

    assert(begins || to > g->granted);
    prepare_slices(&g->call, g->lengths[0], all ? g->slice_bytes : INT64_MAX);
    prepare_stripes(&g->call, g->lengths[0]);
    for (int rank = 0; rank < g->s->nranks; rank++)
        prepare_range(g->p, begins ? 1 : g->granted + 1, to, &g->ranges[rank]);
    g->granted = to;
    if ((begins && !reset_counters(g, err)) ||
        (g->options.watched &&
         (!make_room(g, err) || !gpu_compare_clocks(g, err))))
        return false;
    if (begins)
        g->start_ns = clock_ns();
    *at_ns = clock_ns() - g->start_ns;
    for (int i = 0; ok && i < g->placement.ngpus; i++)
        ok = send_ranks(g, &g->sides[i], err);
    for (int i = 0; ok && i < g->placement.ngpus; i++)
        ok = launch(g, &g->sides[i], err);
    return ok;
}

bool
gpu_run_look(void *run, bool *idle, struct err *err)
{
    struct gpu_run *g = run;

    *idle = true;
    for (int i = 0; i < g->placement.ngpus; i++) {
        struct gpu_side *side = &g->sides[i];
        cudaError_t error =
            side->running ? cudaStreamQuery(side->stream) : cudaSuccess;

        side->running = error == cudaErrorNotReady;
        if (side->running)
            *idle = false;
        else if (!cuda_ok(error, side->gpu->name, err))
            return false;
    }
    return true;
}

static bool
wait_until_idle(struct gpu_run *g, struct err *err)
{
    bool idle = false;

    while (!idle)
        if (!gpu_run_look(g, &idle, err))
            return false;
    return true;
}

/* On one GPU calls queue in its stream.  On several, the counters that ranks of
 * other GPUs wait for must not be reset while these still wait. */
bool
gpu_run_time(void *run, int calls, int64_t *ns, struct err *err)
{
    struct gpu_run *g = run;
    int64_t begin_ns = clock_ns(), ignored;
    bool queues = g->placement.ngpus == 1 && g->counters_on_gpus;

    for (int i = 0; i < calls; i++)
        if (!gpu_run_grant(run, g->s->nsteps, &ignored, err) ||
            (!queues && !wait_until_idle(g, err)))
            return false;
    if (!wait_until_idle(g, err))
        return false;
    *ns = clock_ns() - begin_ns;
    return true;
}

/* Clocks that differ a little must not put an event before the run began. */
bool
gpu_run_event(void *run, struct event *e)
{
    struct gpu_run *g = run;

    if (!g->options.watched || !log_reader_next(&g->reader, e))
        return false;
    if (e->begin_ns < 0)
        e->begin_ns = 0;
    if (e->end_ns < e->begin_ns)
        e->end_ns = e->begin_ns;
    if (e->wait_ns < 0)
        e->wait_ns = 0;
    return true;
}

bool
gpu_stop(struct gpu_run *g)
{
    int64_t until = clock_ns() + STOP_NS;

    if (g->stop != NULL)
        __atomic_store_n(g->stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < g->placement.ngpus; i++)
        while (g->sides[i].stream != NULL &&
               cudaStreamQuery(g->sides[i].stream) == cudaErrorNotReady) {
            if (clock_ns() > until)
                return false;
            usleep(100);
        }
    return true;
}
