/* SPDX-License-Identifier: MIT */
#include "workers/cuda/gpu_state.h"

#include <stdlib.h>

#include "base/mem.h"
#include "run/prepare.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/launch.h"

/* Cuts chunks into slices and ranks into blocks. */
static bool
cut(struct gpu_run *g, struct err *err)
{
    struct launch_gpu fits[GPUS_MAX];
    int64_t bytes =
        g->lengths[0] *
        g->call.element; /* chunk 0 is never shorter than any other */
    int64_t slice = launch_slice(bytes, g->sides[0].nranks);

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

static bool
place_ranks(struct gpu_run *g, struct err *err)
{
    int nslots = g->p->nslots;

    for (int rank = 0; rank < g->s->nranks; rank++)
        prepare_slots(g->s, g->lengths, rank, nslots,
                      g->slots.there + (size_t)rank * (size_t)nslots);
    for (int i = 0; i < g->placement.ngpus; i++) {
        struct gpu_side *side = &g->sides[i];
        if (!gpu_use(side, err) ||
            !gpu_slots_place(&g->slots, side->first, side->nranks, g->staged,
                             g->call.element, &g->memory, &side->image, err))
            return false;
    }
    g->call.slots = g->slots.here;
    return true;
}

/* The ledger, which all ranks share: on the GPU if there is only one, else in
 * host memory. */
static bool
take_shared(struct gpu_run *g, size_t bytes, void **memory, struct err *err)
{
    return g->placement.ngpus == 1
               ? gpu_memory_device(&g->memory, bytes, memory, err)
               : gpu_memory_mapped(&g->memory, bytes, memory, err);
}

size_t
gpu_ledger_bytes(const struct gpu_run *g)
{
    return (size_t)g->s->nranks * (size_t)g->p->nslots *
           (size_t)ledger_words(g->s->nranks) * sizeof(uint64_t);
}

size_t
gpu_counters_bytes(const struct gpu_run *g, int nranks)
{
    return (size_t)nranks * (size_t)g->call.nblocks * sizeof *g->zero;
}

static bool
all_reach_each_other(const struct gpu_run *g)
{
    for (int i = 0; i < g->placement.ngpus * g->placement.ngpus; i++)
        if (!g->reach[i])
            return false;
    return true;
}

/* A rank's counters lie where it writes them, if every GPU can read them
 * there. */
static bool
make_counters(struct gpu_run *g, struct err *err)
{
    void *counters, *zero;

    g->counters_on_gpus = all_reach_each_other(g);
    if (!gpu_memory_mapped(&g->memory, gpu_counters_bytes(g, g->s->nranks),
                           &zero, err))
        return false;
    g->zero = zero;
    for (size_t i = 0; i < (size_t)g->s->nranks * (size_t)g->call.nblocks;
         i++)
        g->zero[i].length =
            program_length(g->p, (int)(i / (size_t)g->call.nblocks));
    for (int i = 0; i < g->placement.ngpus; i++) {
        struct gpu_side *side = &g->sides[i];
        size_t bytes = gpu_counters_bytes(g, side->nranks);
        if (!gpu_use(side, err) ||
            !(g->counters_on_gpus
                  ? gpu_memory_device(&g->memory, bytes, &counters, err)
                  : gpu_memory_mapped(&g->memory, bytes, &counters, err)))
            return false;
        side->counters = counters;
    }
    return true;
}

static bool
make_shared(struct gpu_run *g, struct err *err)
{
    struct gpu_memory *m = &g->memory;
    size_t n = (size_t)g->s->nranks;
    void *ledger, *stop, *desk, *published, *logs;

    if (!make_counters(g, err) ||
        !take_shared(g, g->options.watched ? gpu_ledger_bytes(g) : 0, &ledger,
                     err) ||
        !gpu_memory_mapped(m, sizeof *g->stop, &stop, err) ||
        !gpu_memory_mapped(m, sizeof *g->desk, &desk, err) ||
        !gpu_memory_mapped(m, n * sizeof *g->published, &published, err) ||
        !gpu_memory_mapped(m, n * sizeof *g->logs, &logs, err))
        return false;
    g->ledger = ledger;
    g->stop = stop;
    g->desk = desk;
    g->published = published;
    g->logs = logs;
    log_reader_init(&g->reader, g->logs, g->s->nranks);
    return true;
}

static bool
fill(struct gpu_run *g, struct err *err)
{
    for (int rank = 0; rank < g->s->nranks; rank++)
        prepare_input(&g->call, g->s, &g->options.input, g->lengths, rank);
    for (int i = 0; i < g->placement.ngpus; i++)
        if (!gpu_use(&g->sides[i], err) ||
            !gpu_image_send(&g->sides[i].image, err))
            return false;
    return g->call.ledger == NULL ||
           cuda_ok(cudaMemcpy(g->ledger, g->call.ledger, gpu_ledger_bytes(g),
                              cudaMemcpyDefault),
                   "copying the ledger to the GPU", err);
}

/* A series of copies to the current GPU, which stops when one fails. */
struct sending {
    struct gpu_memory *memory;
    struct err *err;
    bool ok;
};

static const void *
send(struct sending *s, const void *from, size_t count, size_t size)
{
    void *there = NULL;

    s->ok = s->ok &&
            gpu_memory_upload(s->memory, from, count * size, &there, s->err);
    return there;
}

/* Sends the addresses of all ranks' counters to one GPU. */
static bool
send_counters(struct gpu_run *g, struct gpu_side *side, struct err *err)
{
    struct rank_counter **at = mem_new((size_t)g->s->nranks, sizeof *at);
    struct sending to = {&g->memory, err, true};

    for (int rank = 0; rank < g->s->nranks; rank++) {
        const struct gpu_side *owner =
            &g->sides[placement_gpu(&g->placement, rank)];
        at[rank] = owner->counters + (rank - owner->first) * g->call.nblocks;
    }
    side->call.counters = send(&to, at, (size_t)g->s->nranks, sizeof *at);
    side->call.alone = g->placement.ngpus == 1;
    free(at);
    return to.ok;
}

/* Sends the tables of the program and the run to one GPU. */
static bool
send_tables(struct gpu_run *g, struct gpu_side *side,
            const struct rank_move *moves, struct err *err)
{
    struct rank_call *c = &side->call.ranks_call;
    const struct program *p = g->p;
    size_t n = (size_t)g->s->nranks;
    struct sending to = {&g->memory, err, gpu_use(side, err)};

    *c = g->call;
    c->instrs = send(&to, p->instrs, p->ninstrs, sizeof *p->instrs);
    c->first = send(&to, p->first, n + 1, sizeof *p->first);
    c->waits = send(&to, p->waits, p->nwaits, sizeof *p->waits);
    c->slots = send(&to, g->slots.there, n * (size_t)p->nslots,
                    sizeof *g->slots.there);
    c->moves = send(&to, moves, p->ntouched, sizeof *moves);
    c->outputs = send(&to, g->call.outputs, n, sizeof *g->call.outputs);
    if (g->options.delays != NULL)
        c->delays = send(&to, g->options.delays, n, sizeof *c->delays);
    c->ledger = g->options.watched ? g->ledger : NULL;
    return to.ok && send_counters(g, side, err);
}

/* Memory of a GPU's ranks that every grant fills again. */
static bool
make_ranks(struct gpu_run *g, struct gpu_side *side, struct err *err)
{
    size_t n = (size_t)side->nranks;
    size_t blocks = n * (size_t)g->call.nblocks;
    void *ranks, *here, *logs;

    if (!gpu_memory_device(&g->memory, blocks * sizeof *side->ranks, &ranks,
                           err) ||
        !gpu_memory_mapped(&g->memory, blocks * sizeof *side->ranks, &here,
                           err) ||
        !gpu_memory_device(&g->memory, n * sizeof *side->logs, &logs, err))
        return false;
    side->call.ranks = ranks;
    side->ranks = here;
    side->logs = logs;
    return true;
}

static bool
load_side(struct gpu_run *g, struct gpu_side *side,
          const struct rank_move *moves, struct err *err)
{
    side->call = (struct kernel_call){.stop = g->stop,
                                      .type = g->options.input.type,
                                      .op = g->options.input.op};
    return send_tables(g, side, moves, err) && make_ranks(g, side, err);
}

static bool
load_sides(struct gpu_run *g, struct err *err)
{
    struct rank_move *moves = mem_new(g->p->ntouched, sizeof *moves);
    struct rank_call there = g->call;
    bool ok = true;

    there.slots = g->slots.there;
    prepare_moves(&there, g->p, g->lengths, moves);
    for (int i = 0; ok && i < g->placement.ngpus; i++)
        ok = load_side(g, &g->sides[i], moves, err);
    free(moves);
    return ok;
}

bool
gpu_load(struct gpu_run *g, struct err *err)
{
    return cut(g, err) && place_ranks(g, err) && make_shared(g, err) &&
           fill(g, err) && load_sides(g, err);
}
