/* SPDX-License-Identifier: MIT */
#include "workers/cuda/gpu_run.h"

#include <assert.h>
#include <cuda_runtime_api.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/prepare.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/gpu.h"
#include "workers/cuda/kernels.h"
#include "workers/cuda/placement.h"

enum {
    ALIGN = 256, /* bytes: of slots */
    ROUNDS = 16,
    SPIN_NS = 20000,
    ANSWER_NS = 2000000000, /* the longest that either side waits */
    STOP_NS = 1000000000, /* a kernel has to give up within this time */
    DRIFT_NS = 100000000, /* clocks are compared again after this time */
};

/* The slots that are on one GPU: one piece of memory there, and a copy of it in
 * this process, so one copy takes all of them across. */
struct gpu_image {
    size_t bytes;
    unsigned char *there, *here;
};

/* The difference between a GPU's clock and the host's.
 *
 * %globaltimer counts nanoseconds from some moment of its own, and advances in
 * ticks, of 32 ns or 1 us on common GPUs.  A kernel answers the host several
 * times.  Each answer was given between the host's question and the moment when
 * the host saw the answer, so the quickest round gives the difference of the
 * clocks to within half of that time and a tick. */
struct gpu_clock {
    int64_t ahead_ns;       /* base/clock.h's time less the GPU's */
    int64_t uncertainty_ns; /* of that, to either side, at that moment: the
                             * clocks drift apart later */
};

/* One GPU of the run. */
struct gpu_side {
    const struct gpu *gpu;
    int first, nranks;
    int capacity; /* blocks that it can run at once */
    cudaStream_t stream;
    struct gpu_clock clock;
    struct kernel_call call;
    struct gpu_image image;        /* its ranks' slots */
    struct rank_counter *counters; /* of its ranks' blocks, for kernels */
    struct rank *ranks;    /* pinned; [block of the grid] */
    struct rank_log *logs; /* there: [rank - first] */
    bool running;
};

/* A counter that only one rank writes, on cache lines of its own. */
struct gpu_published {
    uint64_t events;
} __attribute__((aligned(128)));

struct gpu_run {
    const struct schedule *s;
    struct program *p;
    struct run_options options;
    struct gpus gpus;
    struct placement placement;
    bool *reach;  /* [reader * ngpus + owner] */
    bool *staged; /* [rank * nslots + slot] */
    struct gpu_side sides[GPUS_MAX];
    struct gpu_memory memory;
    struct rank_slot *there; /* [rank * nslots + slot]: the addresses that
                              * kernels use; each suits 16-byte accesses */
    struct rank_slot *here;  /* those of copies in this process, the same for
                              * slots in mapped host memory */
    int64_t *lengths;      /* elements, by chunk */
    struct rank_call call; /* with addresses of this process */
    struct rank *ranges;   /* by rank: what was granted last */
    bool counters_on_gpus; /* each rank's on its own, else all on the host */
    struct rank_counter *zero; /* pinned: counters before the first step */
    uint64_t *ledger;          /* for kernels */
    int64_t slice_bytes; /* in a full run */
    uint64_t *stop;               /* mapped */
    struct kernel_desk *desk;  /* mapped */
    struct gpu_published *published;  /* mapped; by rank */
    struct event *events;         /* mapped; of all ranks */
    uint64_t *contents;           /* mapped */
    size_t events_room, contents_room;
    struct rank_log *logs; /* pinned; by rank */
    struct log_reader reader;         /* of the logs */
    int granted;           /* steps */
    int64_t start_ns;
    int64_t compared_ns; /* when clocks were compared */
};

/* Makes this GPU the current one. */
static bool
use_gpu(const struct gpu_side *side, struct err *err)
{
    return cuda_ok(cudaSetDevice(side->gpu->id), "choosing the GPU", err);
}

/* Clocks ----------------------------------------------------------------- */

/* Asks the GPU for its time once more. */
static bool
ask_time(struct kernel_desk *desk, uint64_t round, struct gpu_clock *clock,
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
compare_clock(struct gpu_side *side, struct kernel_desk *desk,
              struct err *err)
{
    struct kernel_clock call = {desk, ROUNDS, ANSWER_NS};
    void *arguments[] = {&call};
    struct gpu_clock clock;
    bool ok;

    *desk = (struct kernel_desk){0};
    side->clock = (struct gpu_clock){0, INT64_MAX};
    ok = use_gpu(side, err) &&
         cuda_ok(cudaLaunchKernel((const void *)kernel_clock_tell,
                                  (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments,
                                  0, side->stream),
                 "comparing clocks", err);
    if (!ok)
        return false;
    for (uint64_t round = 1; ok && round <= ROUNDS; round++) {
        ok = ask_time(desk, round, &clock, err);
        if (ok && round > 1 &&
            clock.uncertainty_ns < side->clock.uncertainty_ns)
            side->clock = clock;
    }
    __atomic_store_n(&desk->stop, 1, __ATOMIC_RELEASE);
    return ok && cuda_ok(cudaStreamSynchronize(side->stream),
                         "comparing clocks", err);
}

/* Compares each GPU's clock with the host's, unless that was done a moment
 * ago. */
static bool
compare_gpu_clocks(struct gpu_run *g, struct err *err)
{
    if (g->compared_ns != 0 && clock_ns() < g->compared_ns + DRIFT_NS)
        return true;
    g->compared_ns = clock_ns();
    for (int i = 0; i < g->placement.ngpus; i++)
        if (!compare_clock(&g->sides[i], g->desk, err))
            return false;
    return true;
}

/* Memory ----------------------------------------------------------------- */

static size_t
padded_size(const struct rank_slot *slot, int element)
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
            padded_size(&g->there[i], g->call.element);
    if (!use_gpu(side, err))
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
        *from += padded_size(&g->there[i], g->call.element);
    }
    return true;
}

/* Cuts chunks into slices and ranks into blocks. */
static bool
cut_work(struct gpu_run *g, struct err *err)
{
    struct launch_gpu fits[GPUS_MAX];
    int64_t bytes =
        g->lengths[g->s->longest] *
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
place_on_gpus(struct gpu_run *g, struct err *err)
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

static size_t
counters_bytes(const struct gpu_run *g, int nranks)
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
        size_t bytes = counters_bytes(g, side->nranks);
        if (!use_gpu(side, err))
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
    log_reader_init(&g->reader, g->logs, sizeof *g->logs, g->s->nranks);
    return !m->failed;
}

static bool
fill_inputs(struct gpu_run *g, struct err *err)
{
    prepare_inputs(&g->call, g->s, g->lengths, &g->options.input);
    for (int i = 0; i < g->placement.ngpus; i++)
        if (!use_gpu(&g->sides[i], err) ||
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

    if (!use_gpu(side, err))
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
        if (!use_gpu(side, err) ||
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
make_kernel_call(struct gpu_run *g)
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
build_run(struct gpu_run *g, struct err *err)
{
    if (!gpus_find(&g->gpus, err))
        return false;
    g->placement = placement_of(g->s->nranks, g->gpus.count);
    make_kernel_call(g);
    if (!gpus_connect(&g->gpus, g->placement.ngpus, g->reach, err) ||
        !open_sides(g, err))
        return false;
    placement_stage(&g->placement, g->p, g->reach, g->staged);
    return cut_work(g, err) && place_on_gpus(g, err) && make_shared(g, err) &&
           fill_inputs(g, err) && load_sides(g, err) &&
           compare_gpu_clocks(g, err);
}

/* Asks kernels to give up, and returns whether all have.  Memory of a GPU that
 * hangs cannot be freed; then the process has to end. */
static bool
stop_kernels(struct gpu_run *g)
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

static void
gpu_run_free(void *run)
{
    struct gpu_run *g = run;

    if (g == NULL)
        return;
    if (stop_kernels(g)) {
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
    if (build_run(g, err))
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
        if (!use_gpu(&g->sides[i], err) ||
            !copy_image(&g->sides[i].image, false, err))
            return false;
    *found = (struct rank_slots){g->here, g->p->nslots, g->call.ledger};
    return g->call.ledger == NULL ||
           cuda_ok(cudaMemcpy(g->call.ledger, g->ledger, ledger_bytes(g),
                              cudaMemcpyDefault),
                   "copying the ledger from the GPU", err);
}

/* Grants ----------------------------------------------------------------- */

/* Mapped memory of at least `bytes`, in place of this, which has *room. */
static void *
grow_mapped(struct gpu_run *g, void *memory, size_t *room, size_t bytes,
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
    g->events = grow_mapped(g, g->events, &g->events_room,
                            nevents * sizeof *g->events, err);
    g->contents = grow_mapped(g, g->contents, &g->contents_room,
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
    return use_gpu(side, err) &&
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
        size_t bytes = counters_bytes(g, side->nranks);
        if (!g->counters_on_gpus)
            memcpy(side->counters, zero, bytes); /* both in host memory */
        else if (!use_gpu(side, err) ||
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
launch_side(const struct gpu_run *g, struct gpu_side *side, struct err *err)
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
        use_gpu(side, err) &&
        cuda_ok(cudaLaunchCooperativeKernel((const void *)kernel_ranks, grid,
                                            block, arguments, 0,
                                            side->stream),
                "starting ranks", err);
    return side->running;
}

/* No call between two launches may wait for a GPU: the ranks of the first
 * launch wait for those of the second. */
static bool
gpu_run_grant(void *run, int to, int64_t *at_ns, struct err *err)
{
    struct gpu_run *g = run;
    bool begins = g->granted == 0 || g->granted == g->s->nsteps, ok = true;
    bool all = begins && to == g->s->nsteps;
    int64_t longest = g->lengths[g->s->longest];

    assert(begins || to > g->granted);
    prepare_slices(&g->call, longest, all ? g->slice_bytes : INT64_MAX);
    prepare_stripes(&g->call, longest);
    for (int rank = 0; rank < g->s->nranks; rank++)
        prepare_range(g->p, begins ? 1 : g->granted + 1, to, &g->ranges[rank]);
    g->granted = to;
    if ((begins && !reset_counters(g, err)) ||
        (g->options.watched &&
         (!make_room(g, err) || !compare_gpu_clocks(g, err))))
        return false;
    if (begins)
        g->start_ns = clock_ns();
    *at_ns = clock_ns() - g->start_ns;
    for (int i = 0; ok && i < g->placement.ngpus; i++)
        ok = send_ranks(g, &g->sides[i], err);
    for (int i = 0; ok && i < g->placement.ngpus; i++)
        ok = launch_side(g, &g->sides[i], err);
    return ok;
}

static bool
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
static bool
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
static bool
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
