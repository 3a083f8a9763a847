/* SPDX-License-Identifier: MIT */
#include "workers/cuda/gpu_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/prepare.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/placement.h"

bool
gpu_use(const struct gpu_side *side, struct err *err)
{
    return cuda_ok(cudaSetDevice(side->gpu->id), "choosing the GPU", err);
}

enum { ALIGN = 256 }; /* bytes */

static size_t
padded(const struct rank_slot *slot, int element)
{
    size_t bytes = (size_t)slot->length * (size_t)element;

    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* Copies all slots from `here` to `there`, or back. */
static bool
copy_image(const struct gpu_image *image, bool to_gpu, struct err *err)
{
    return cuda_ok(cudaMemcpy(to_gpu ? image->there : image->here,
                              to_gpu ? image->here : image->there,
                              image->bytes,
                              to_gpu ? cudaMemcpyHostToDevice
                                     : cudaMemcpyDeviceToHost),
                   to_gpu ? "copying inputs to the GPU"
                          : "copying results from the GPU", err);
}

/* Gives the slots of a GPU's ranks memory: of the host where they are staged,
 * else of this GPU. */
static bool
place_slots(struct gpu_run *g, struct gpu_side *side, struct err *err)
{
    size_t begin = (size_t)side->first * (size_t)g->p->nslots;
    size_t end = begin + (size_t)side->nranks * (size_t)g->p->nslots;
    size_t mapped = 0, offset[2] = {0};
    struct gpu_image *image = &side->image;
    unsigned char *memory[2];

    for (size_t i = begin; i < end; i++)
        *(g->staged[i] ? &mapped : &image->bytes) +=
            padded(&g->there[i], g->call.element);
    if (!gpu_use(side, err))
        return false;
    memory[false] = gpu_memory_device(&g->memory, image->bytes, err);
    memory[true] = gpu_memory_mapped(&g->memory, mapped, err);
    if (g->memory.failed)
        return false;
    image->there = memory[false];
    image->here = mem_new(image->bytes, 1);
    for (size_t i = begin; i < end; i++) {
        size_t *from = &offset[g->staged[i]];

        g->there[i].data = memory[g->staged[i]] + *from;
        g->here[i] = g->there[i];
        if (!g->staged[i])
            g->here[i].data = image->here + *from;
        *from += padded(&g->there[i], g->call.element);
    }
    return true;
}

/* Cuts chunks into slices and ranks into blocks. */
static bool
cut(struct gpu_run *g, struct err *err)
{
    struct launch_gpu fits[GPUS_MAX];
    int64_t bytes =
        g->lengths[0] *
        g->call.element; /* chunk 0 is never shorter than any other */

    for (int i = 0; i < g->placement.ngpus; i++)
        fits[i] = (struct launch_gpu){g->sides[i].gpu->name,
                                      g->sides[i].nranks,
                                      g->sides[i].capacity};
    g->slice_bytes = launch_slice(bytes, g->sides[0].nranks);
    return launch_blocks(fits, g->placement.ngpus, g->slice_bytes,
                         &g->call.nblocks, err);
}

static bool
place_ranks(struct gpu_run *g, struct err *err)
{
    int nslots = g->p->nslots;

    for (int rank = 0; rank < g->s->nranks; rank++)
        prepare_slots(g->s, g->lengths, rank, nslots,
                      g->there + (size_t)rank * (size_t)nslots);
    for (int i = 0; i < g->placement.ngpus; i++)
        if (!place_slots(g, &g->sides[i], err))
            return false;
    g->call.slots = g->here;
    return true;
}

static size_t
ledger_bytes(const struct gpu_run *g)
{
    return (size_t)g->s->nranks * (size_t)g->p->nslots *
           (size_t)ledger_words(g->s->nranks) * sizeof(uint64_t);
}

size_t
gpu_counters_bytes(const struct gpu_run *g, int nranks)
{
    return (size_t)nranks * (size_t)g->call.nblocks * sizeof *g->zero;
}

/* A rank's counters lie where it writes them, if every GPU can read them
 * there. */
static bool
make_counters(struct gpu_run *g, struct err *err)
{
    struct gpu_memory *m = &g->memory;
    size_t n = (size_t)g->s->nranks * (size_t)g->call.nblocks;

    g->counters_on_gpus = true;
    for (int i = 0; i < g->placement.ngpus * g->placement.ngpus; i++)
        g->counters_on_gpus &= g->reach[i];
    g->zero = gpu_memory_mapped(m, n * sizeof *g->zero, err);
    for (size_t i = 0; !m->failed && i < n; i++)
        g->zero[i].length =
            program_length(g->p, (int)(i / (size_t)g->call.nblocks));
    for (int i = 0; !m->failed && i < g->placement.ngpus; i++) {
        struct gpu_side *side = &g->sides[i];
        size_t bytes = gpu_counters_bytes(g, side->nranks);
        if (!gpu_use(side, err))
            return false;
        side->counters = g->counters_on_gpus
                             ? gpu_memory_device(m, bytes, err)
                             : gpu_memory_mapped(m, bytes, err);
    }
    return !m->failed;
}

/* The ledger, which all ranks share, is on the GPU if there is only one, else
 * in host memory. */
static bool
make_shared(struct gpu_run *g, struct err *err)
{
    struct gpu_memory *m = &g->memory;
    size_t rows = g->options.watched ? ledger_bytes(g) : 0;
    size_t n = (size_t)g->s->nranks;

    if (!make_counters(g, err))
        return false;
    g->ledger = g->placement.ngpus == 1 ? gpu_memory_device(m, rows, err)
                                        : gpu_memory_mapped(m, rows, err);
    g->stop = gpu_memory_mapped(m, sizeof *g->stop, err);
    g->desk = gpu_memory_mapped(m, sizeof *g->desk, err);
    g->published = gpu_memory_mapped(m, n * sizeof *g->published, err);
    g->logs = gpu_memory_mapped(m, n * sizeof *g->logs, err);
    log_reader_init(&g->reader, g->logs, g->s->nranks);
    return !m->failed;
}

static bool
fill(struct gpu_run *g, struct err *err)
{
    for (int rank = 0; rank < g->s->nranks; rank++) {
        struct rank_memory m = prepare_memory(&g->call, rank);
        rank_memory_input(&m, schedule_input(g->s, rank), g->lengths,
                          &g->options.input);
    }
    for (int i = 0; i < g->placement.ngpus; i++)
        if (!gpu_use(&g->sides[i], err) ||
            !copy_image(&g->sides[i].image, true, err))
            return false;
    return g->call.ledger == NULL ||
           cuda_ok(cudaMemcpy(g->ledger, g->call.ledger, ledger_bytes(g),
                              cudaMemcpyDefault),
                   "copying the ledger to the GPU", err);
}

/* Sends the addresses of all ranks' counters to one GPU. */
static void
send_counters(struct gpu_run *g, struct gpu_side *side, struct err *err)
{
    size_t n = (size_t)g->s->nranks;
    OWN_MEMORY struct rank_counter **at = mem_new(n, sizeof *at);

    for (int rank = 0; rank < g->s->nranks; rank++) {
        const struct gpu_side *owner =
            &g->sides[placement_gpu(&g->placement, rank)];
        at[rank] = owner->counters + (rank - owner->first) * g->call.nblocks;
    }
    side->call.counters =
        gpu_memory_upload(&g->memory, at, n * sizeof *at, err);
    side->call.alone = g->placement.ngpus == 1;
}

/* Gives one GPU the tables of the program and the run, and memory of its ranks
 * that every grant fills again. */
static bool
load_side(struct gpu_run *g, struct gpu_side *side,
          const struct rank_move *moves, struct err *err)
{
    struct rank_call *c = &side->call.ranks_call;
    struct gpu_memory *m = &g->memory;
    const struct program *p = g->p;
    size_t n = (size_t)g->s->nranks, own = (size_t)side->nranks;
    size_t ranks = own * (size_t)g->call.nblocks * sizeof *side->ranks;

    if (!gpu_use(side, err))
        return false;
    *c = g->call;
    c->instrs = gpu_memory_upload(m, p->instrs,
                                  p->ninstrs * sizeof *p->instrs, err);
    c->first = gpu_memory_upload(m, p->first, (n + 1) * sizeof *p->first, err);
    c->waits =
        gpu_memory_upload(m, p->waits, p->nwaits * sizeof *p->waits, err);
    c->slots = gpu_memory_upload(
        m, g->there, n * (size_t)p->nslots * sizeof *g->there, err);
    c->moves = gpu_memory_upload(m, moves, p->ntouched * sizeof *moves, err);
    c->outputs = gpu_memory_upload(m, g->call.outputs,
                                   n * sizeof *g->call.outputs, err);
    if (g->options.delays != NULL)
        c->delays = gpu_memory_upload(m, g->options.delays,
                                      n * sizeof *c->delays, err);
    c->ledger = g->options.watched ? g->ledger : NULL;
    send_counters(g, side, err);
    side->call.ranks = gpu_memory_device(m, ranks, err);
    side->ranks = gpu_memory_mapped(m, ranks, err);
    side->logs = gpu_memory_device(m, own * sizeof *side->logs, err);
    return !m->failed;
}

static bool
load_sides(struct gpu_run *g, struct err *err)
{
    OWN_MEMORY struct rank_move *moves = mem_new(g->p->ntouched, sizeof *moves);
    struct rank_call there = g->call;
    bool ok = true;

    there.slots = g->there;
    prepare_moves(&there, g->p, g->lengths, moves);
    for (int i = 0; ok && i < g->placement.ngpus; i++) {
        struct gpu_side *side = &g->sides[i];
        side->call = (struct kernel_call){.stop = g->stop,
                                          .type = g->options.input.type,
                                          .op = g->options.input.op};
        ok = load_side(g, side, moves, err);
    }
    return ok;
}

/* The stream waits for copies without a stream, which may not have finished
 * when their call returns.  The kernel is loaded now: loading it later could
 * wait for running kernels, which wait for each other. */
static bool
open_sides(struct gpu_run *g, struct err *err)
{
    const void *kernel = (const void *)kernel_ranks;
    struct cudaFuncAttributes ignored;
    int blocks;

    for (int i = 0; i < g->placement.ngpus; i++) {
        struct gpu_side *side = &g->sides[i];

        side->gpu = &g->gpus.gpu[i];
        side->first = placement_first(&g->placement, i);
        side->nranks = placement_first(&g->placement, i + 1) - side->first;
        if (!gpu_use(side, err) ||
            !cuda_ok(cudaStreamCreateWithFlags(&side->stream,
                                               cudaStreamDefault),
                     "starting work on the GPU", err) ||
            !cuda_ok(cudaFuncGetAttributes(&ignored, kernel),
                     "loading the kernel", err) ||
            !cuda_ok(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                         &blocks, kernel, LAUNCH_THREADS, 0),
                     "asking how many ranks fit", err))
            return false;
        side->capacity = blocks * side->gpu->multiprocessors;
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
    g->there = mem_new(n * (size_t)g->p->nslots, sizeof *g->there);
    g->here = mem_new(n * (size_t)g->p->nslots, sizeof *g->here);
    g->call = (struct rank_call){
        .outputs = prepare_outputs(s), .nranks = s->nranks,
        .nslots = g->p->nslots,
        .element = (int)dtype_size(g->options.input.type),
        .divide = op == REDOP_AVG && s->collective->reduces,
        .ledger = g->options.watched ? mem_new(ledger_bytes(g), 1) : NULL,
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
    return cut(g, err) && place_ranks(g, err) && make_shared(g, err) &&
           fill(g, err) && load_sides(g, err) && gpu_compare_clocks(g, err);
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
        free(g->sides[i].image.here);
    free(g->there);
    free(g->here);
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
        bool staged = false; /* some GPU reads its ranks in host memory */

        for (int k = 0; k < side->nranks; k++) {
            int rank = side->first + k;
            info->device_of[rank] = i;
            for (int slot = 0; slot < g->p->nslots; slot++)
                staged |= g->staged[rank * g->p->nslots + slot];
        }
        snprintf(info->devices[i], RUN_NAME_MAX, "%s%s", side->gpu->name,
                 n == 1   ? ""
                 : staged ? ", read through host memory"
                          : ", read by peer access");
        if (side->clock.uncertainty_ns > info->clock_ns)
            info->clock_ns = side->clock.uncertainty_ns;
    }
}

static bool
gpu_run_fetch(void *run, struct rank_slots *found, struct err *err)
{
    struct gpu_run *g = run;

    for (int i = 0; i < g->placement.ngpus; i++)
        if (!gpu_use(&g->sides[i], err) ||
            !copy_image(&g->sides[i].image, false, err))
            return false;
    *found = (struct rank_slots){g->here, g->p->nslots, g->call.ledger};
    return g->call.ledger == NULL ||
           cuda_ok(cudaMemcpy(g->call.ledger, g->ledger, ledger_bytes(g),
                              cudaMemcpyDefault),
                   "copying the ledger from the GPU", err);
}

const struct machine machine_gpu = {
    .backend = "cuda",
    .new = gpu_run_new,
    .free = gpu_run_free,
    .describe = gpu_run_describe,
    .grant = gpu_run_grant,
    .look = gpu_run_look,
    .event = gpu_run_event,
    .fetch = gpu_run_fetch,
    .time = gpu_run_time,
};
