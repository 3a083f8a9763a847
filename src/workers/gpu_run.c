/* SPDX-License-Identifier: MIT */
#include "workers/gpu_run.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/prepare.h"
#include "workers/cuda_call.h"
#include "workers/gpu.h"
#include "workers/gpu_clock.h"
#include "workers/gpu_memory.h"
#include "workers/gpu_slots.h"
#include "workers/kernels.h"
#include "workers/launch.h"
#include "workers/placement.h"

enum { STOP_NS = 1000000000 }; /* within which a kernel has to give up */

/* What one GPU has of its own. */
struct side {
    const struct gpu *gpu;
    int first, nranks;
    int capacity; /* blocks that it can run at once */
    cudaStream_t stream;
    struct gpu_clock clock;
    struct kernel_call call;
    struct rank *ranks; /* here: [block of the grid] */
    struct rank_log *logs;       /* there: [rank - first] */
    bool running;
};

/* A counter that only one rank writes, on cache lines of its own. */
struct published {
    uint64_t events;
} __attribute__((aligned(128)));

struct gpu_run {
    const struct schedule *s;
    struct program *p;
    struct gpu_run_options options;
    struct gpus gpus;
    struct placement placement;
    bool *reach;  /* [reader * ngpus + owner] */
    bool *staged; /* [rank * nslots + slot] */
    struct side sides[GPUS_MAX];
    struct gpu_memory memory;
    struct gpu_slots slots;
    int64_t *lengths;      /* elements, by chunk */
    struct rank_call call; /* with addresses of this process */
    struct rank *ranges;   /* by rank: what was granted last */
    struct rank_counter *counters; /* for kernels, as is the ledger */
    uint64_t *ledger;
    int64_t slice;
    int nslices; /* of a full run */
    uint64_t *stop;               /* mapped */
    struct gpu_clock_desk *desk;  /* mapped */
    struct published *published;  /* mapped; by rank */
    struct event *events;         /* mapped; of all ranks */
    uint64_t *contents;           /* mapped */
    size_t events_room, contents_room;
    struct rank_log *logs; /* here, by rank */
    uint64_t *taken;       /* events taken, by rank */
    int taking;            /* the rank whose events are taken now */
    int granted;           /* steps */
    int64_t start_ns;
};

static bool
use(const struct side *side, struct err *err)
{
    return cuda_ok(cudaSetDevice(side->gpu->id), "choosing the GPU", err);
}

/* Loads the kernel now: loading it later can wait for kernels that run, which
 * wait for each other. */
static bool
open_side(struct side *side, struct err *err)
{
    struct cudaFuncAttributes ignored;
    int blocks;

    if (!use(side, err) ||
        !cuda_ok(cudaStreamCreateWithFlags(&side->stream,
                                           cudaStreamNonBlocking),
                 "starting work on the GPU", err) ||
        !cuda_ok(cudaFuncGetAttributes(&ignored, (const void *)kernel_ranks),
                 "loading the kernel", err) ||
        !cuda_ok(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                     &blocks, (const void *)kernel_ranks, LAUNCH_THREADS, 0),
                 "asking how many ranks fit", err))
        return false;
    side->capacity = blocks * side->gpu->multiprocessors;
    return true;
}

static bool
open_sides(struct gpu_run *g, struct err *err)
{
    for (int i = 0; i < g->placement.ngpus; i++) {
        struct side *side = &g->sides[i];

        side->gpu = &g->gpus.gpu[i];
        side->first = placement_first(&g->placement, i);
        side->nranks = placement_first(&g->placement, i + 1) - side->first;
        if (!open_side(side, err))
            return false;
    }
    return true;
}

/* Slices and blocks. */
static bool
cut(struct gpu_run *g, struct err *err)
{
    struct launch_gpu fits[GPUS_MAX];
    int64_t bytes = g->lengths[0] * g->call.element; /* of a longest chunk */
    int64_t slice = launch_slice(bytes);

    for (int i = 0; i < g->placement.ngpus; i++)
        fits[i] = (struct launch_gpu){g->sides[i].gpu->name,
                                      g->sides[i].nranks,
                                      g->sides[i].capacity};
    prepare_slices(&g->call, g->lengths[0], slice);
    g->slice = g->call.slice;
    g->nslices = g->call.nslices;
    return launch_blocks(fits, g->placement.ngpus, slice, &g->call.nblocks,
                         err);
}

static int
side_of(const struct gpu_run *g, int rank)
{
    return placement_gpu(&g->placement, rank);
}

static bool
place_ranks(struct gpu_run *g, struct err *err)
{
    int nslots = g->p->nslots;

    for (int rank = 0; rank < g->s->nranks; rank++) {
        prepare_slots(g->s, g->lengths, rank, nslots,
                      g->slots.there + (size_t)rank * (size_t)nslots);
        if (!use(&g->sides[side_of(g, rank)], err) ||
            !gpu_slots_place(&g->slots, rank,
                             g->staged + (size_t)rank * (size_t)nslots,
                             g->call.element, &g->memory, err))
            return false;
    }
    g->call.slots = g->slots.here;
    return true;
}

/* Memory that ranks share: on the GPU where there is one, else in the host's,
 * for counters in another GPU's memory need not be seen in time. */
static bool
take_shared(struct gpu_run *g, size_t bytes, void **memory, struct err *err)
{
    return g->placement.ngpus == 1
               ? gpu_memory_device(&g->memory, bytes, memory, err)
               : gpu_memory_mapped(&g->memory, bytes, memory, err);
}

static size_t
ledger_bytes(const struct gpu_run *g)
{
    return (size_t)g->s->nranks * (size_t)g->p->nslots *
           (size_t)ledger_words(g->s->nranks) * sizeof(uint64_t);
}

static bool
make_shared(struct gpu_run *g, struct err *err)
{
    struct gpu_memory *m = &g->memory;
    size_t n = (size_t)g->s->nranks;
    void *counters, *ledger, *stop, *desk, *published;

    if (!take_shared(g, n * (size_t)g->call.nblocks * sizeof *g->counters,
                     &counters, err) ||
        !take_shared(g, g->options.watched ? ledger_bytes(g) : 0, &ledger,
                     err) ||
        !gpu_memory_mapped(m, sizeof *g->stop, &stop, err) ||
        !gpu_memory_mapped(m, sizeof *g->desk, &desk, err) ||
        !gpu_memory_mapped(m, n * sizeof *g->published, &published, err))
        return false;
    g->counters = counters;
    g->ledger = ledger;
    g->stop = stop;
    g->desk = desk;
    g->published = published;
    return true;
}

static bool
fill(struct gpu_run *g, struct err *err)
{
    for (int rank = 0; rank < g->s->nranks; rank++) {
        prepare_input(&g->call, g->s, &g->options.input, g->lengths, rank);
        if (!use(&g->sides[side_of(g, rank)], err) ||
            !gpu_slots_send(&g->slots, rank, err))
            return false;
    }
    return g->call.ledger == NULL ||
           cuda_ok(cudaMemcpy(g->ledger, g->call.ledger, ledger_bytes(g),
                              cudaMemcpyDefault),
                   "copying the ledger to the GPU", err);
}

/* A copy of the program's and the run's tables on one GPU. */
static bool
upload_tables(struct gpu_run *g, struct side *side,
              const struct rank_move *moves, struct err *err)
{
    struct gpu_memory *m = &g->memory;
    const struct program *p = g->p;
    size_t n = (size_t)g->s->nranks;
    void *instrs, *first, *waits, *slots, *there, *outputs, *delays = NULL,
         *ranks, *logs;

    if (!use(side, err) ||
        !gpu_memory_upload(m, p->instrs, p->ninstrs * sizeof *p->instrs,
                           &instrs, err) ||
        !gpu_memory_upload(m, p->first, (n + 1) * sizeof *p->first, &first,
                           err) ||
        !gpu_memory_upload(m, p->waits, p->nwaits * sizeof *p->waits, &waits,
                           err) ||
        !gpu_memory_upload(m, g->slots.there,
                           n * (size_t)p->nslots * sizeof *g->slots.there,
                           &slots, err) ||
        !gpu_memory_upload(m, moves, p->ntouched * sizeof *moves, &there,
                           err) ||
        !gpu_memory_upload(m, g->call.outputs, n * sizeof *g->call.outputs,
                           &outputs, err) ||
        (g->options.delays != NULL &&
         !gpu_memory_upload(m, g->options.delays,
                            n * sizeof *g->options.delays, &delays, err)) ||
        !gpu_memory_device(m, (size_t)side->nranks * (size_t)g->call.nblocks *
                                  sizeof *side->ranks, &ranks, err) ||
        !gpu_memory_device(m, (size_t)side->nranks * sizeof *side->logs,
                           &logs, err))
        return false;
    side->call = (struct kernel_call){
        .ranks_call = g->call, .ranks = ranks, .stop = g->stop,
        .type = g->options.input.type, .op = g->options.input.op};
    side->call.ranks_call.instrs = instrs;
    side->call.ranks_call.first = first;
    side->call.ranks_call.waits = waits;
    side->call.ranks_call.slots = slots;
    side->call.ranks_call.moves = there;
    side->call.ranks_call.outputs = outputs;
    side->call.ranks_call.delays = delays;
    side->call.ranks_call.counters = g->counters;
    side->call.ranks_call.ledger = g->options.watched ? g->ledger : NULL;
    side->ranks = mem_new_aligned((size_t)side->nranks *
                                      (size_t)g->call.nblocks,
                                  sizeof *side->ranks);
    side->logs = logs;
    return true;
}

static bool
upload_all(struct gpu_run *g, struct err *err)
{
    struct rank_move *moves = mem_new(g->p->ntouched, sizeof *moves);
    struct rank_call there = g->call;
    bool ok = true;

    there.slots = g->slots.there;
    prepare_moves(&there, g->p, g->lengths, moves);
    for (int i = 0; ok && i < g->placement.ngpus; i++)
        ok = upload_tables(g, &g->sides[i], moves, err);
    free(moves);
    return ok;
}

static bool
compare_clocks(struct gpu_run *g, struct err *err)
{
    for (int i = 0; i < g->placement.ngpus; i++)
        if (!use(&g->sides[i], err) ||
            !gpu_clock_compare(g->sides[i].stream, g->desk,
                               &g->sides[i].clock, err))
            return false;
    return true;
}

static void
make_call(struct gpu_run *g)
{
    const struct schedule *s = g->s;
    enum redop op = g->options.input.op;
    size_t n = (size_t)s->nranks;

    g->lengths = prepare_lengths(s, g->options.input.count);
    g->ranges = mem_new_aligned(n, sizeof *g->ranges);
    g->logs = mem_new(n, sizeof *g->logs);
    g->taken = mem_new(n, sizeof *g->taken);
    g->staged = mem_new(n * (size_t)g->p->nslots, sizeof *g->staged);
    g->reach = mem_new((size_t)(g->placement.ngpus * g->placement.ngpus),
                       sizeof *g->reach);
    gpu_slots_init(&g->slots, s->nranks, g->p->nslots);
    g->call = (struct rank_call){
        .outputs = prepare_outputs(s), .nranks = s->nranks,
        .nslots = g->p->nslots,
        .element = (int)dtype_size(g->options.input.type),
        .divide = op == REDOP_AVG && s->collective->reduces,
        .ledger = g->options.watched ? mem_new(ledger_bytes(g), 1) : NULL,
    };
    for (int rank = 0; rank < s->nranks; rank++)
        g->ranges[rank].index = rank;
    if (g->options.fault != FAULT_NONE)
        program_set_fault(g->p, g->options.fault_step, g->options.fault_src,
                          g->options.fault);
}

static bool
make(struct gpu_run *g, struct err *err)
{
    if (!gpus_find(&g->gpus, err))
        return false;
    g->placement = placement_of(g->s->nranks, g->gpus.count);
    make_call(g);
    if (!gpus_connect(&g->gpus, g->placement.ngpus, g->reach, err) ||
        !open_sides(g, err) || !cut(g, err))
        return false;
    placement_stage(&g->placement, g->p, g->reach, g->staged);
    return place_ranks(g, err) && make_shared(g, err) && fill(g, err) &&
           upload_all(g, err) && compare_clocks(g, err);
}

struct gpu_run *
gpu_run_new(const struct schedule *s, const struct gpu_run_options *o,
            struct err *err)
{
    struct gpu_run *g = mem_new(1, sizeof *g);

    g->s = s;
    g->options = *o;
    g->p = program_lower(s);
    if (make(g, err))
        return g;
    gpu_run_free(g);
    return NULL;
}

/* Whether kernels have given up, also those that failed; GPUs that hang keep
 * their memory, and the process has to end. */
static bool
stop(struct gpu_run *g)
{
    int64_t until = clock_ns() + STOP_NS;

    if (g->stop != NULL)
        __atomic_store_n(g->stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < g->placement.ngpus; i++)
        while (g->sides[i].running &&
               cudaStreamQuery(g->sides[i].stream) == cudaErrorNotReady) {
            if (clock_ns() > until)
                return false;
            usleep(100);
        }
    return true;
}

void
gpu_run_free(struct gpu_run *g)
{
    if (g == NULL)
        return;
    if (stop(g)) {
        gpu_memory_done(&g->memory);
        for (int i = 0; i < g->placement.ngpus; i++)
            if (g->sides[i].stream != NULL)
                cudaStreamDestroy(g->sides[i].stream);
    }
    for (int i = 0; i < g->placement.ngpus; i++)
        free(g->sides[i].ranks);
    gpu_slots_done(&g->slots);
    free(g->call.ledger);
    free((void *)g->call.outputs);
    free(g->lengths);
    free(g->ranges);
    free(g->logs);
    free(g->taken);
    free(g->staged);
    free(g->reach);
    program_free(g->p);
    free(g);
}

/* Whether one GPU or another reads this one's ranks in host memory. */
static bool
is_staged(const struct gpu_run *g, const struct side *side)
{
    size_t nslots = (size_t)g->p->nslots, first = (size_t)side->first * nslots;
    size_t end = first + (size_t)side->nranks * nslots;

    for (size_t i = first; i < end; i++)
        if (g->staged[i])
            return true;
    return false;
}

void
gpu_run_describe(const struct gpu_run *g, struct run_info *info)
{
    int n = g->placement.ngpus;

    info->place = PLACE_GPU;
    info->nplaces = info->ndevices = n;
    info->clock_ns = 0;
    for (int i = 0; i < n; i++) {
        const struct side *side = &g->sides[i];
        int last = side->first + side->nranks - 1;
        char ranks[32];

        if (side->nranks == 1)
            snprintf(ranks, sizeof ranks, "rank %d", last);
        else
            snprintf(ranks, sizeof ranks, "ranks %d-%d", side->first, last);
        snprintf(info->devices[i], RUN_NAME_MAX, "%s: %s%s", side->gpu->name,
                 ranks, n == 1                ? ""
                        : is_staged(g, side) ? ", through host memory"
                                             : ", peer access");
        if (side->clock.uncertainty_ns > info->clock_ns)
            info->clock_ns = side->clock.uncertainty_ns;
    }
}

/* Mapped memory of at least that size; what was in the old is gone. */
static bool
grow(struct gpu_run *g, void **memory, size_t *room, size_t bytes,
     struct err *err)
{
    void *more;

    if (bytes <= *room)
        return true;
    if (!gpu_memory_mapped(&g->memory, bytes, &more, err))
        return false;
    gpu_memory_free(&g->memory, *memory);
    *memory = more;
    *room = bytes;
    return true;
}

/* Room for all that the granted range can report. */
static bool
make_room(struct gpu_run *g, struct err *err)
{
    size_t words = (size_t)content_words(g->s->nranks);
    size_t nevents = 0, ncontents = 0;
    void *events = g->events, *contents = g->contents;
    bool ok;

    for (int rank = 0; rank < g->s->nranks; rank++) {
        struct log_room r = prepare_room(&g->call, g->p, &g->ranges[rank]);
        nevents += r.events;
        ncontents += r.contents;
    }
    ok = grow(g, &events, &g->events_room, nevents * sizeof *g->events,
              err) &&
         grow(g, &contents, &g->contents_room,
              ncontents * words * sizeof *g->contents, err);
    g->events = events;
    g->contents = contents;
    nevents = ncontents = 0;
    for (int rank = 0; ok && rank < g->s->nranks; rank++) {
        struct log_room r = prepare_room(&g->call, g->p, &g->ranges[rank]);
        g->logs[rank] = (struct rank_log){
            .events = g->events + nevents,
            .contents = g->contents + ncontents * words,
            .published = &g->published[rank].events};
        g->published[rank].events = g->taken[rank] = 0;
        nevents += r.events;
        ncontents += r.contents;
    }
    return ok;
}

static bool
send_ranks(const struct gpu_run *g, struct side *side, struct err *err)
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
    return cuda_ok(cudaMemcpyAsync(side->call.ranks, ranks,
                                   n * (size_t)nblocks * sizeof *ranks,
                                   cudaMemcpyHostToDevice, side->stream),
                   "sending ranks to the GPU", err) &&
           (!g->options.watched ||
            cuda_ok(cudaMemcpyAsync(side->logs, g->logs + side->first,
                                    n * sizeof *side->logs,
                                    cudaMemcpyHostToDevice, side->stream),
                    "sending ranks to the GPU", err));
}

/* No kernel runs, so counters may begin anew. */
static bool
reset_counters(struct gpu_run *g, struct err *err)
{
    size_t nblocks = (size_t)g->call.nblocks;
    size_t n = (size_t)g->s->nranks * nblocks;
    struct rank_counter *zero = mem_new_aligned(n, sizeof *zero);
    bool ok;

    for (size_t i = 0; i < n; i++)
        zero[i].length = program_length(g->p, (int)(i / nblocks));
    ok = use(&g->sides[0], err) &&
         cuda_ok(cudaMemcpy(g->counters, zero, n * sizeof *zero,
                            cudaMemcpyDefault),
                 "sending counters to the GPU", err);
    free(zero);
    return ok;
}

static bool
launch(const struct gpu_run *g, struct side *side, struct err *err)
{
    void *arguments[] = {&side->call};
    dim3 grid = {(unsigned)(side->nranks * g->call.nblocks), 1, 1};
    dim3 block = {LAUNCH_THREADS, 1, 1};

    side->call.ranks_call.slice = g->call.slice;
    side->call.ranks_call.nslices = g->call.nslices;
    side->call.ranks_call.stripe = g->call.stripe;
    side->call.ranks_call.longer_stripes = g->call.longer_stripes;
    side->call.epoch_ns = side->clock.ahead_ns - g->start_ns;
    side->running =
        use(side, err) && send_ranks(g, side, err) &&
        cuda_ok(cudaLaunchCooperativeKernel((const void *)kernel_ranks, grid, block,
                                            arguments, 0, side->stream),
                "starting ranks", err);
    return side->running;
}

static void
set_range(struct gpu_run *g, int from, int to)
{
    bool all = from == 1 && to == g->s->nsteps;

    g->call.slice = all ? g->slice : INT64_MAX;
    g->call.nslices = all ? g->nslices : 1;
    prepare_stripes(&g->call, g->lengths[0]);
    for (int rank = 0; rank < g->s->nranks; rank++)
        prepare_range(g->p, from, to, &g->ranges[rank]);
}

bool
gpu_run_grant(struct gpu_run *g, int to, int64_t *at_ns, struct err *err)
{
    bool begins = g->granted == 0 || g->granted == g->s->nsteps;

    assert(begins || to > g->granted);
    set_range(g, begins ? 1 : g->granted + 1, to);
    g->granted = to;
    g->taking = 0;
    if ((begins && !reset_counters(g, err)) ||
        (g->options.watched &&
         (!make_room(g, err) || !compare_clocks(g, err))))
        return false;
    if (begins)
        g->start_ns = clock_ns();
    *at_ns = clock_ns() - g->start_ns;
    for (int i = 0; i < g->placement.ngpus; i++)
        if (!launch(g, &g->sides[i], err))
            return false;
    return true;
}

bool
gpu_run_look(struct gpu_run *g, bool *idle, struct err *err)
{
    *idle = true;
    for (int i = 0; i < g->placement.ngpus; i++) {
        struct side *side = &g->sides[i];
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

/* Two clocks that differ by a little must not tell of times before the begin
 * of the run. */
static void
tidy_times(struct event *e)
{
    if (e->begin_ns < 0)
        e->begin_ns = 0;
    if (e->end_ns < e->begin_ns)
        e->end_ns = e->begin_ns;
    if (e->wait_ns < 0)
        e->wait_ns = 0;
}

bool
gpu_run_event(struct gpu_run *g, struct event *event)
{
    for (int i = 0; i < g->s->nranks; i++) {
        int rank = g->taking;
        if (__atomic_load_n(&g->published[rank].events, __ATOMIC_ACQUIRE) >
            g->taken[rank]) {
            *event = g->logs[rank].events[g->taken[rank]++];
            tidy_times(event);
            return true;
        }
        g->taking = (rank + 1) % g->s->nranks;
    }
    return false;
}

void
gpu_run_contents(const struct gpu_run *g, int rank, uint64_t *contents)
{
    prepare_contents(&g->call, g->s, g->lengths, rank, contents);
}

bool
gpu_run_fetch(struct gpu_run *g, struct err *err)
{
    for (int rank = 0; rank < g->s->nranks; rank++)
        if (!use(&g->sides[side_of(g, rank)], err) ||
            !gpu_slots_fetch(&g->slots, rank, err))
            return false;
    return g->call.ledger == NULL ||
           cuda_ok(cudaMemcpy(g->call.ledger, g->ledger, ledger_bytes(g),
                              cudaMemcpyDefault),
                   "copying the ledger from the GPU", err);
}

const struct rank_slot *
gpu_run_slots(const struct gpu_run *g, int *nslots)
{
    *nslots = g->p->nslots;
    return g->slots.here;
}

const uint64_t *
gpu_run_ledger(const struct gpu_run *g)
{
    return g->call.ledger;
}
