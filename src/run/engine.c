/* SPDX-License-Identifier: MIT */
#include "run/engine.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/waiter.h"
#include "run/kernels.h"
#include "run/machine.h"
#include "run/pool.h"
#include "run/prepare.h"

struct ops {
    struct kernels kernels;
    size_t element;
    int nranks;
    int64_t start_ns;
};

#define OPS(c) ((const struct ops *)(c)->ops)
#define RANK_FN static inline __attribute__((always_inline))
#define RANK_RARE RANK_FN
#define RANK_COUNTERS(c, rank) (&(c)->counters[rank])
#define RANK_REACHED(c, p, target) \
    (__atomic_load_n(p, __ATOMIC_ACQUIRE) >= (target))
#define RANK_RELEASE(c, host) ((void)0) /* the stores are releases */
#define RANK_STORE(p, value) __atomic_store_n(p, value, __ATOMIC_RELEASE)
#define RANK_UNIFORM(one, condition) ((void)(one), (condition))
#define RANK_SYNC() ((void)0)
#define RANK_LEADER true
#define RANK_SCOUT true
#define RANK_NOW() (clock_ns() - OPS(c)->start_ns)
#define RANK_MOVE(c, to, from, n) \
    memcpy(to, from, (size_t)(n) * OPS(c)->element)
#define RANK_COMBINE(c, to, add, from, n) \
    OPS(c)->kernels.combine(to, add, from, n)
#define RANK_DIVIDE(c, to, n) OPS(c)->kernels.divide(to, n, OPS(c)->nranks)
#define RANK_CORRUPT(c, to) OPS(c)->kernels.corrupt(to)
#include "run/rank.h"

enum {
    /* Up to this size a call ends before a second core could help. */
    ONE_WORKER_BYTES = 32 << 10,
    /* Chunks larger than the first are run in slices of the second. */
    WHOLE_CHUNK_BYTES = 256 << 10,
    SLICE_BYTES = 128 << 10,
    ALIGN = 64,
};

/* One rank writes it, so it has cache lines of its own. */
struct published {
    uint64_t events;
} __attribute__((aligned(128)));

/* One slot of an instruction, for a thread that runs all ranks. */
struct solo_move {
    struct rank_move m;
    bool reduces;
};

struct engine {
    const struct schedule *s;
    struct program *p;
    struct engine_options options;
    struct ops ops;
    int64_t *lengths; /* elements, by chunk */
    struct rank_call call;
    struct rank *ranks;
    struct rank_log *logs; /* by rank; watched */
    struct published *published; /* by rank */
    struct log_reader reader;    /* of the logs */
    unsigned char **memory; /* a rank's regions */
    int granted; /* steps */
    int nthreads;
    int *first_rank; /* of each thread, and nranks */
    struct pool_job job;
    struct pool *pool;
    bool alone; /* plain, one worker and one slice: it runs these moves */
    struct solo_move *solo;
    size_t nsolo, solo_capacity;
    uint64_t stop; /* ranks must give up */
};

/* Advances a worker's ranks until all have finished the granted steps.  It goes
 * through them in rising order: in a ring or a chain rank r waits for data that
 * rank r - 1 has just written, which is still in the cache. */
static inline __attribute__((always_inline)) void
advance_ranks(struct engine *e, int worker, const bool watched)
{
    int first = e->first_rank[worker];
    int last = e->first_rank[worker + 1];
    int left = last - first;
    int turns = 0;

    while (left > 0) {
        bool moved = false;

        left = last - first;
        for (int rank = first; rank < last; rank++) {
            struct rank *r = &e->ranks[rank];
            uint32_t at = r->at;
            int slice = r->slice;

            if (rank_advance(&e->call, r, watched) == RANK_DONE)
                left--;
            moved |= r->at != at || r->slice != slice;
        }
        if (moved) {
            turns = 0;
        } else {
            if (__atomic_load_n(&e->stop, __ATOMIC_ACQUIRE) != 0)
                return;
            pool_pause(e->pool, worker, &turns);
        }
    }
}

static void
work_plain(void *arg, int worker)
{
    advance_ranks(arg, worker, false);
}

static void
work_watched(void *arg, int worker)
{
    advance_ranks(arg, worker, true);
}

/* Sets every rank to the instructions of steps from .. to; `from` is the step
 * after the last one granted. */
static void
set_range(struct engine *e, int from, int to)
{
    int64_t longest = e->lengths[e->s->longest], slice = e->options.slice;

    if (slice == 0 && longest * e->call.element > WHOLE_CHUNK_BYTES)
        slice = SLICE_BYTES;
    if (slice == 0 || from > 1 || to < e->s->nsteps)
        slice = INT64_MAX;
    prepare_slices(&e->call, longest, slice);
    for (int rank = 0; rank < e->s->nranks; rank++) {
        struct rank_counter *counter = &e->call.counters[rank];

        if (from == 1)
            counter->origin = counter->done;
        prepare_range(e->p, from, to, &e->ranks[rank]);
    }
}

/* Flattens the program into a list of moves: step by step, pulls before
 * applies, which satisfies every wait (schedule/program.h).  So one thread that
 * runs all ranks can omit the counters, and empty slots too: a small message
 * then takes little more than its additions. */
static void
flatten_program(struct engine *e)
{
    const struct program *p = e->p;

    for (int phase = 2; phase < 2 * (p->nsteps + 1); phase++)
        for (int rank = 0; rank < p->nranks; rank++) {
            uint32_t end = program_at_step(p, rank, phase / 2 + 1);
            for (uint32_t i = program_at_step(p, rank, phase / 2); i < end;
                 i++) {
                const struct instr *in = &p->instrs[p->first[rank] + i];
                const struct rank_move *m = &e->call.moves[in->first_slot];
                if ((in->op == INSTR_APPLY) != phase % 2)
                    continue;
                for (const struct rank_move *last = m + in->nslots; m < last;
                     m++) {
                    if (m->length == 0)
                        continue;
                    e->solo = mem_grow(e->solo, e->nsolo, &e->solo_capacity,
                                       sizeof *e->solo);
                    e->solo[e->nsolo++] =
                        (struct solo_move){*m, in->op == INSTR_REDUCE};
                }
            }
        }
}

static void
run_alone(struct engine *e)
{
    const struct kernels kernels = e->ops.kernels;
    size_t element = e->ops.element;

    for (size_t i = 0; i < e->nsolo; i++) {
        const struct solo_move *s = &e->solo[i];
        if (s->reduces)
            kernels.combine(s->m.dst, s->m.add, s->m.src, s->m.length);
        else
            memcpy(s->m.dst, s->m.src, (size_t)s->m.length * element);
    }
    for (int rank = 0; e->call.divide && rank < e->s->nranks; rank++) {
        struct region out = e->call.outputs[rank];
        const struct rank_slot *slots =
            e->call.slots + (size_t)rank * (size_t)e->call.nslots + out.first;
        for (int k = 0; k < out.count; k++)
            e->ops.kernels.divide(slots[k].data, slots[k].length,
                                  schedule_members(e->s));
    }
}

/* Makes room in each rank's log for everything the granted range can report. */
static void
reserve_logs(struct engine *e)
{
    for (int rank = 0; rank < e->s->nranks; rank++)
        log_reserve(&e->logs[rank],
                    prepare_room(&e->call, e->p, &e->ranks[rank]),
                    e->s->nranks);
}

/* Prepares ranks for the steps up to and including `to`. */
static void
grant_steps(struct engine *e, int to)
{
    assert(to >= e->granted && to <= e->s->nsteps);
    if (e->granted == 0)
        e->ops.start_ns = clock_ns();
    set_range(e, e->granted + 1, to);
    if (e->options.run.watched)
        reserve_logs(e);
    log_reader_restart(&e->reader);
    e->granted = to;
}

/* Lets ranks start again with step 1, on the data that is in their slots. */
static void
begin_again(struct engine *e)
{
    for (int rank = 0; rank < e->s->nranks; rank++)
        e->ranks[rank].delayed_step = 0;
    e->granted = 0;
}

void
engine_run(struct engine *e)
{
    assert(!e->options.own_threads);
    if (e->alone) {
        run_alone(e);
        return;
    }
    begin_again(e);
    grant_steps(e, e->s->nsteps);
    pool_post(e->pool);
    e->job.work(e, 0);
    pool_wait(e->pool);
}

bool
engine_time(void *engine, int calls, int64_t *ns, struct err *err)
{
    int64_t begin = clock_ns();

    (void)err;
    for (int i = 0; i < calls; i++)
        engine_run(engine);
    *ns = clock_ns() - begin;
    return true;
}

bool
engine_idle(const struct engine *e)
{
    return pool_idle(e->pool);
}

bool
engine_next_event(void *engine, struct event *event)
{
    return log_reader_next(&((struct engine *)engine)->reader, event);
}

struct rank_slots
engine_slots(const struct engine *e)
{
    return (struct rank_slots){e->call.slots, e->call.nslots, e->call.ledger};
}

int
engine_threads(const struct engine *e)
{
    return e->nthreads;
}

/* Places a rank's slots one after the other, as in a user's buffer. Output,
 * scratch and staging each begin on a boundary of their own. */
static void
place_rank_slots(struct engine *e, int rank)
{
    struct rank_slot *slots = (struct rank_slot *)e->call.slots +
                              (size_t)rank * (size_t)e->call.nslots;
    struct region out = schedule_output(e->s, rank);
    size_t size = 0;

    prepare_slots(e->s, e->lengths, rank, e->call.nslots, slots);
    for (int pass = 0; pass < 2; pass++) {
        size = 0;
        for (int slot = 0; slot < e->call.nslots; slot++) {
            bool apart = slot == out.first ||
                         schedule_slot_chunk(e->s, rank, slot) < 0 ||
                         slot >= e->s->nslots;
            if (apart)
                size = (size + ALIGN - 1) / ALIGN * ALIGN;
            if (pass == 1)
                slots[slot].data = e->memory[rank] + size;
            size += (size_t)slots[slot].length * e->ops.element;
        }
        if (pass == 0)
            e->memory[rank] = mem_new_aligned(size, 1);
    }
}

void
engine_reset(struct engine *e)
{
    size_t rows = (size_t)e->s->nranks * (size_t)e->call.nslots;

    if (e->call.ledger != NULL)
        memset(e->call.ledger, 0,
               rows * (size_t)ledger_words(e->s->nranks) * sizeof(uint64_t));
    prepare_inputs(&e->call, e->s, e->lengths, &e->options.run.input);
    begin_again(e);
}

static void
choose_threads(struct engine *e)
{
    int64_t bytes = e->options.run.input.count * (int64_t)e->ops.element;
    int cores = pool_cores();

    e->nthreads = e->options.threads;
    if (e->nthreads == 0)
        e->nthreads =
            !e->options.run.watched && bytes <= ONE_WORKER_BYTES ? 1 : cores;
    if (e->nthreads > e->s->nranks)
        e->nthreads = e->s->nranks;
    e->first_rank = mem_new((size_t)e->nthreads + 1, sizeof *e->first_rank);
    split_program(e->p, e->lengths, e->nthreads, e->first_rank);
}

/* Memory is what takes long: a slot is touched here for the first time. */
static bool
make_rank_call(struct engine *e, struct err *err)
{
    struct rank_call *c = &e->call;
    const struct schedule *s = e->s;
    size_t n = (size_t)s->nranks;
    struct rank_move *moves = mem_new(e->p->ntouched, sizeof *moves);

    e->lengths = schedule_chunk_lengths(s, e->options.run.input.count);
    *c = (struct rank_call){
        .instrs = e->p->instrs, .first = e->p->first, .waits = e->p->waits,
        .counters = mem_new_aligned(n, sizeof *c->counters),
        .slots = mem_new(n * (size_t)e->p->nslots, sizeof *c->slots),
        .outputs = prepare_outputs(s), .ops = &e->ops,
        .delays = e->options.run.delays, .nranks = s->nranks,
        .nslots = e->p->nslots, .nblocks = 1, .element = (int)e->ops.element,
        .divide = e->options.run.input.op == REDOP_AVG &&
                  s->collective->reduces,
    };
    c->moves = moves;
    if (e->options.run.watched)
        c->ledger = mem_new(n * (size_t)e->p->nslots *
                                (size_t)ledger_words(s->nranks),
                            sizeof *c->ledger);
    for (int rank = 0; rank < s->nranks; rank++) {
        if (!waiter_goes_on(_("preparing the ranks"), err))
            return false;
        c->counters[rank].length = program_length(e->p, rank);
        place_rank_slots(e, rank);
        prepare_input(c, s, e->lengths, &e->options.run.input, rank);
    }
    prepare_moves(c, e->p, e->lengths, moves);
    return true;
}

static void
make_ranks(struct engine *e)
{
    size_t n = (size_t)e->s->nranks;

    e->memory = mem_new(n, sizeof *e->memory);
    e->ranks = mem_new_aligned(n, sizeof *e->ranks);
    e->logs = mem_new_aligned(n, sizeof *e->logs);
    e->published = mem_new_aligned(n, sizeof *e->published);
    for (int rank = 0; rank < e->s->nranks; rank++) {
        e->ranks[rank].index = rank;
        e->ranks[rank].log = &e->logs[rank];
        e->logs[rank].published = &e->published[rank].events;
    }
    log_reader_init(&e->reader, e->logs, sizeof *e->logs, e->s->nranks);
}

struct engine *
engine_new(const struct schedule *s, const struct engine_options *o,
           struct err *err)
{
    struct engine *e = mem_new_aligned(1, sizeof *e);

    e->s = s;
    e->p = program_lower(s);
    e->options = *o;
    e->ops = (struct ops){kernels_for(o->run.input.type, o->run.input.op),
                          dtype_size(o->run.input.type),
                          schedule_members(s), 0};
    program_set_fault(e->p, &o->run.fault);
    make_ranks(e);
    if (!make_rank_call(e, err)) {
        engine_free(e);
        return NULL;
    }
    choose_threads(e);
    begin_again(e);
    set_range(e, 1, s->nsteps);
    e->alone =
        !o->run.watched && e->nthreads == 1 && e->call.nslices == 1;
    if (e->alone)
        flatten_program(e);
    e->job = (struct pool_job){
        .work = o->run.watched ? work_watched : work_plain,
        .arg = e,
        .first_id = o->own_threads ? 0 : 1, /* else the caller's thread is 0 */
    };
    e->pool = pool_new(e->nthreads - e->job.first_id, &e->job, err);
    if (e->pool != NULL)
        return e;
    engine_free(e);
    return NULL;
}

void
engine_free(void *engine)
{
    struct engine *e = engine;

    if (e == NULL)
        return;
    __atomic_store_n(&e->stop, 1, __ATOMIC_RELEASE);
    pool_free(e->pool);
    free(e->solo);
    for (int rank = 0; rank < e->s->nranks; rank++) {
        free(e->memory[rank]);
        log_done(&e->logs[rank]);
    }
    free(e->memory);
    free(e->first_rank);
    free(e->ranks);
    free(e->logs);
    free(e->published);
    log_reader_done(&e->reader);
    free(e->call.counters);
    free((void *)e->call.slots);
    free((void *)e->call.moves);
    free(e->lengths);
    free((void *)e->call.outputs);
    free(e->call.ledger);
    program_free(e->p);
    free(e);
}

/* As a machine ----------------------------------------------------------- */

void
engine_processor(char name[RUN_NAME_MAX])
{
    char line[256], model[128];
    FILE *file = fopen("/proc/cpuinfo", "re");

    snprintf(name, RUN_NAME_MAX, "CPU");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "model name : %127[^\n]", model) == 1) {
            snprintf(name, RUN_NAME_MAX, "%.*s", RUN_NAME_MAX - 1, model);
            break;
        }
    if (file != NULL)
        fclose(file);
}

/* If calls are timed, the caller's thread takes part, and waits for them. */
static void *
threads_new(const struct schedule *s, const struct run_options *o,
            struct err *err)
{
    return engine_new(s,
                      &(struct engine_options){
                          .run = *o, .own_threads = o->timing.calls == 0},
                      err);
}

static void
threads_describe(void *run, struct run_info *info)
{
    info->place = PLACE_CORE;
    info->nplaces = engine_threads(run);
    info->ndevices = 1;
    engine_processor(info->devices[0]);
}

bool
engine_grant(void *engine, int to, int64_t *at_ns, struct err *err)
{
    struct engine *e = engine;

    (void)err;
    *at_ns = 0;
    if (!e->options.own_threads) {
        engine_run(e);
        return true;
    }
    assert(engine_idle(e));
    grant_steps(e, to);
    *at_ns = clock_ns() - e->ops.start_ns;
    pool_post(e->pool);
    return true;
}

static bool
threads_look(void *run, bool *idle, struct err *err)
{
    const struct engine *e = run;

    (void)err;
    *idle = !e->options.own_threads || engine_idle(e);
    return true;
}

/* Payloads and rows are in this process already. */
static bool
threads_fetch(void *run, struct rank_slots *found, struct err *err)
{
    (void)err;
    *found = engine_slots(run);
    return true;
}

const struct machine machine_threads = {
    .backend = "threads",
    .new = threads_new,
    .free = engine_free,
    .describe = threads_describe,
    .grant = engine_grant,
    .look = threads_look,
    .event = engine_next_event,
    .fetch = threads_fetch,
    .time = engine_time,
};
