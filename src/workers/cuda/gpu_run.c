/* SPDX-License-Identifier: MIT */
#include "workers/cuda/gpu_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/prepare.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/gpu_state.h"
#include "workers/cuda/launch.h"

bool
gpu_use(const struct gpu_side *side, struct err *err)
{
    return cuda_ok(cudaSetDevice(side->gpu->id), "choosing the GPU", err);
}

/* The stream waits for copies without a stream, which may not have finished
 * when their call returns.  The kernel is loaded now: loading it later could
 * wait for running kernels, which wait for each other. */
static bool
open_side(struct gpu_side *side, struct err *err)
{
    struct cudaFuncAttributes ignored;
    int blocks;

    if (!gpu_use(side, err) ||
        !cuda_ok(cudaStreamCreateWithFlags(&side->stream,
                                           cudaStreamDefault),
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
        struct gpu_side *side = &g->sides[i];

        side->gpu = &g->gpus.gpu[i];
        side->first = placement_first(&g->placement, i);
        side->nranks = placement_first(&g->placement, i + 1) - side->first;
        if (!open_side(side, err))
            return false;
    }
    return true;
}

static void
make_call(struct gpu_run *g)
{
    const struct schedule *s = g->s;
    enum redop op = g->options.input.op;
    size_t n = (size_t)s->nranks;

    g->lengths = schedule_chunk_lengths(s, g->options.input.count);
    g->ranges = mem_new_aligned(n, sizeof *g->ranges);
    g->staged = mem_new(n * (size_t)g->p->nslots, sizeof *g->staged);
    g->reach = mem_new((size_t)g->placement.ngpus * (size_t)g->placement.ngpus,
                       sizeof *g->reach);
    gpu_slots_init(&g->slots, s->nranks, g->p->nslots);
    g->call = (struct rank_call){
        .outputs = prepare_outputs(s), .nranks = s->nranks,
        .nslots = g->p->nslots,
        .element = (int)dtype_size(g->options.input.type),
        .divide = op == REDOP_AVG && s->collective->reduces,
        .ledger = g->options.watched ? mem_new(gpu_ledger_bytes(g), 1) : NULL,
    };
    for (int rank = 0; rank < s->nranks; rank++)
        g->ranges[rank].index = rank;
    program_set_fault(g->p, &g->options.fault);
}

static bool
make(struct gpu_run *g, struct err *err)
{
    if (!gpus_find(&g->gpus, err))
        return false;
    g->placement = placement_of(g->s->nranks, g->gpus.count);
    make_call(g);
    if (!gpus_connect(&g->gpus, g->placement.ngpus, g->reach, err) ||
        !open_sides(g, err))
        return false;
    placement_stage(&g->placement, g->p, g->reach, g->staged);
    return gpu_load(g, err) && gpu_compare_clocks(g, err);
}

static void
gpu_run_free(void *run)
{
    struct gpu_run *g = run;

    if (g == NULL)
        return;
    if (gpu_stop(g)) {
        gpu_memory_done(&g->memory);
        for (int i = 0; i < g->placement.ngpus; i++)
            if (g->sides[i].stream != NULL)
                cudaStreamDestroy(g->sides[i].stream);
    }
    for (int i = 0; i < g->placement.ngpus; i++)
        gpu_image_done(&g->sides[i].image);
    gpu_slots_done(&g->slots);
    free(g->call.ledger);
    free((void *)g->call.outputs);
    free(g->lengths);
    free(g->ranges);
    log_reader_done(&g->reader);
    free(g->staged);
    free(g->reach);
    program_free(g->p);
    free(g);
}

static void *
gpu_run_new(const struct schedule *s, const struct run_options *o,
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

/* Whether some GPU reads this one's ranks in host memory. */
static bool
is_staged(const struct gpu_run *g, const struct gpu_side *side)
{
    size_t nslots = (size_t)g->p->nslots, first = (size_t)side->first * nslots;
    size_t end = first + (size_t)side->nranks * nslots;

    for (size_t i = first; i < end; i++)
        if (g->staged[i])
            return true;
    return false;
}

static void
gpu_run_describe(void *run, struct run_info *info)
{
    const struct gpu_run *g = run;
    int n = g->placement.ngpus;

    info->place = PLACE_GPU;
    info->nplaces = info->ndevices = n;
    info->clock_ns = 0;
    for (int i = 0; i < n; i++) {
        const struct gpu_side *side = &g->sides[i];

        memset(info->device_of + side->first, i, (size_t)side->nranks);
        snprintf(info->devices[i], RUN_NAME_MAX, "%s%s", side->gpu->name,
                 n == 1               ? ""
                 : is_staged(g, side) ? ", read through host memory"
                                      : ", read by peer access");
        if (side->clock.uncertainty_ns > info->clock_ns)
            info->clock_ns = side->clock.uncertainty_ns;
    }
}

static void
gpu_run_contents(void *run, int rank, uint64_t *contents)
{
    const struct gpu_run *g = run;

    prepare_contents(&g->call, g->s, g->lengths, rank, contents);
}

static bool
gpu_run_fetch(void *run, struct err *err)
{
    struct gpu_run *g = run;

    for (int i = 0; i < g->placement.ngpus; i++)
        if (!gpu_use(&g->sides[i], err) ||
            !gpu_image_fetch(&g->sides[i].image, err))
            return false;
    return g->call.ledger == NULL ||
           cuda_ok(cudaMemcpy(g->call.ledger, g->ledger, gpu_ledger_bytes(g),
                              cudaMemcpyDefault),
                   "copying the ledger from the GPU", err);
}

static const struct rank_slot *
gpu_run_slots(void *run, int *nslots)
{
    const struct gpu_run *g = run;

    *nslots = g->p->nslots;
    return g->slots.here;
}

static const uint64_t *
gpu_run_ledger(void *run)
{
    const struct gpu_run *g = run;

    return g->call.ledger;
}

const struct machine machine_gpu = {
    .backend = "cuda",
    .new = gpu_run_new,
    .free = gpu_run_free,
    .describe = gpu_run_describe,
    .grant = gpu_run_grant,
    .look = gpu_run_look,
    .event = gpu_run_event,
    .contents = gpu_run_contents,
    .fetch = gpu_run_fetch,
    .slots = gpu_run_slots,
    .ledger = gpu_run_ledger,
    .time = gpu_run_time,
};
