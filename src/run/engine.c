/* SPDX-License-Identifier: MIT */
#include "run/engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/kernels.h"
#include "run/pool.h"
#include "run/solo.h"

struct ops {
    struct kernels kernels;
    size_t element;
    int nranks;
    int64_t start_ns;
};

#define OPS(c) ((const struct ops *)(c)->ops)
#define RANK_FN static inline __attribute__((always_inline))
#define RANK_LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define RANK_STORE(p, value) __atomic_store_n(p, value, __ATOMIC_RELEASE)
#define RANK_UNIFORM(condition) (condition)
#define RANK_SYNC() ((void)0)
#define RANK_LEADER true
#define RANK_NOW() (clock_ns() - OPS(c)->start_ns)
#define RANK_MOVE(c, to, from, n) \
    memcpy(to, from, (size_t)(n) * OPS(c)->element)
#define RANK_COMBINE(c, to, add, from, n) \
    OPS(c)->kernels.combine(to, add, from, n)
#define RANK_DIVIDE(c, to, n) OPS(c)->kernels.divide(to, n, OPS(c)->nranks)
#define RANK_CORRUPT(c, to) OPS(c)->kernels.corrupt(to)
#include "run/rank.h"

enum {
    /* Up to here a call is over before a second core has taken part in it. */
    ONE_WORKER_BYTES = 32 << 10,
    /* Chunks above the first are run in slices of the second. */
    WHOLE_CHUNK_BYTES = 1 << 20,
    SLICE_BYTES = 128 << 10,
    ALIGN = 64,
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
    uint64_t *taken;       /* events taken, by rank */
    int taking;            /* the rank whose events are taken now */
    size_t *log_room, *content_room;
    unsigned char **memory; /* a rank's regions */
    int nslices;            /* of a full run */
    int64_t slice;
    int granted; /* steps */
    int nworkers;
    struct pool_job job;
    struct pool *pool;
    struct solo *solo; /* plain, and one worker */
    uint64_t stop;  /* ranks are to give up */
    uint64_t asked; /* somebody waits for wake_fd */
};

/* Wakes who waits for news.  Exchanges on both sides (engine_want_wake) stand
 * in one order: either we see that it asked, or it sees what we published. */
static void
tell(void *arg)
{
    struct engine *e = arg;
    uint64_t one = 1;

    if (__atomic_exchange_n(&e->asked, 0, __ATOMIC_ACQ_REL) == 0)
        return;
    if (write(e->options.wake_fd, &one, sizeof one) < 0)
        return; /* full: it is readable already */
}

/* Advances a worker's ranks until all have done what they were granted.  In
 * rising order: what rank r - 1 has just finished is what rank r waits for in
 * a ring or a chain, and is still in the cache. */
static inline __attribute__((always_inline)) void
work(struct engine *e, int worker, const bool watched)
{
    int first = e->s->nranks * worker / e->nworkers;
    int last = e->s->nranks * (worker + 1) / e->nworkers;
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
            if (watched)
                tell(e);
        } else {
            if (__atomic_load_n(&e->stop, __ATOMIC_ACQUIRE) != 0)
                return;
            pool_pause(&turns);
        }
    }
}

static void
work_plain(void *arg, int worker)
{
    work(arg, worker, false);
}

static void
work_watched(void *arg, int worker)
{
    work(arg, worker, true);
}

/* Sets every rank to the instructions of steps from .. to; `from` follows on
 * what was granted last. */
static void
set_range(struct engine *e, int from, int to)
{
    bool all = from == 1 && to == e->s->nsteps;

    e->call.slice = all ? e->slice : INT64_MAX;
    e->call.nslices = all ? e->nslices : 1;
    for (int rank = 0; rank < e->s->nranks; rank++) {
        struct rank *r = &e->ranks[rank];
        struct rank_counter *counter = &e->call.counters[rank];

        if (from == 1)
            counter->origin = counter->done;
        r->begin = r->at = from == 1 ? 0 : r->end;
        r->end = to == e->s->nsteps ? program_length(e->p, rank)
                                    : program_at_step(e->p, rank, to + 1);
        r->slice = 0;
        r->waiting_for = -1;
    }
}

static void
run_alone(struct engine *e)
{
    solo_run(e->solo);
    for (int rank = 0; e->call.divide && rank < e->s->nranks; rank++) {
        struct region out = e->call.outputs[rank];
        const struct rank_slot *slots =
            e->call.slots + (size_t)rank * (size_t)e->call.nslots + out.first;
        for (int k = 0; k < out.count; k++)
            e->ops.kernels.divide(slots[k].data, slots[k].length,
                                  e->s->nranks);
    }
}

/* Room in each rank's log for all that the granted range can report. */
static void
make_room(struct engine *e)
{
    size_t words = (size_t)content_words(e->s->nranks);

    for (int rank = 0; rank < e->s->nranks; rank++) {
        const struct rank *r = &e->ranks[rank];
        struct rank_log *log = &e->logs[rank];
        size_t events = 0, contents = 0;

        for (uint32_t i = r->begin; i < r->end; i++) {
            const struct instr *in = &e->p->instrs[e->p->first[rank] + i];
            if (in->op == INSTR_APPLY)
                continue;
            events += in->op == INSTR_END ? 1 : (size_t)e->call.nslices;
            contents += (size_t)(in->op == INSTR_END
                                     ? e->call.outputs[rank].count
                                     : in->nslots);
        }
        if (events > e->log_room[rank]) {
            log->events = mem_resize(log->events, events, sizeof *log->events);
            e->log_room[rank] = events;
        }
        if (contents > e->content_room[rank]) {
            log->contents = mem_resize(log->contents, contents * words,
                                       sizeof *log->contents);
            e->content_room[rank] = contents;
        }
        log->ncontents = 0;
        log->published = 0;
        e->taken[rank] = 0;
    }
}

/* Readies ranks for the steps up to and with `to`. */
static void
grant(struct engine *e, int to)
{
    assert(to >= e->granted && to <= e->s->nsteps);
    if (e->granted == 0)
        e->ops.start_ns = clock_ns();
    set_range(e, e->granted + 1, to);
    if (e->options.watched)
        make_room(e);
    e->taking = 0;
    e->granted = to;
}

void
engine_grant(struct engine *e, int to)
{
    assert(e->options.own_threads && engine_idle(e));
    grant(e, to);
    pool_post(e->pool);
}

void
engine_run(struct engine *e)
{
    struct rank_counter *counters = e->call.counters;

    assert(!e->options.own_threads);
    if (e->solo != NULL) {
        run_alone(e);
        return;
    }
    if (e->options.watched) {
        engine_again(e);
        grant(e, e->s->nsteps);
    }
    for (int rank = 0; rank < e->s->nranks; rank++) {
        struct rank *r = &e->ranks[rank];
        counters[rank].origin = counters[rank].done;
        r->at = 0;
        r->slice = 0;
    }
    pool_post(e->pool);
    e->job.work(e, 0);
    pool_wait(e->pool);
}

bool
engine_idle(const struct engine *e)
{
    return pool_idle(e->pool);
}

bool
engine_next_event(struct engine *e, struct event *event)
{
    for (int i = 0; i < e->s->nranks; i++) {
        struct rank_log *log = &e->logs[e->taking];
        if (RANK_LOAD(&log->published) > e->taken[e->taking]) {
            *event = log->events[e->taken[e->taking]++];
            return true;
        }
        e->taking = (e->taking + 1) % e->s->nranks;
    }
    return false;
}

void
engine_want_wake(struct engine *e)
{
    __atomic_exchange_n(&e->asked, 1, __ATOMIC_ACQ_REL);
}

void
engine_contents(const struct engine *e, int rank, uint64_t *contents)
{
    const struct rank_call *c = &e->call;
    size_t words = (size_t)content_words(e->s->nranks);
    struct region in = schedule_input(e->s, rank);

    for (int slot = 0; slot < e->s->nslots; slot++, contents += words) {
        bool filled = slot >= in.first && slot < in.first + in.count;
        rank_content(c, rank, slot,
                     filled ? e->lengths[slot - in.first] : 0, contents);
    }
}

const struct rank_slot *
engine_slots(const struct engine *e, int *nslots)
{
    *nslots = e->call.nslots;
    return e->call.slots;
}

const uint64_t *
engine_ledger(const struct engine *e)
{
    return e->call.ledger;
}

int
engine_workers(const struct engine *e)
{
    return e->nworkers;
}

static int64_t
slot_length(const struct engine *e, int rank, int slot)
{
    int chunk = slot < e->s->nslots
                    ? schedule_slot_chunk(e->s, rank, slot)
                    : -1;

    return e->lengths[chunk < 0 ? 0 : chunk]; /* chunk 0 is a longest */
}

/* A rank's slots one behind the other, as in a user's buffer; output, scratch
 * and staging each begin on a boundary of their own. */
static void
place_slots(struct engine *e, int rank)
{
    struct rank_slot *slots = (struct rank_slot *)e->call.slots +
                              (size_t)rank * (size_t)e->call.nslots;
    struct region out = schedule_output(e->s, rank);
    size_t size = 0;

    for (int pass = 0; pass < 2; pass++) {
        size = 0;
        for (int slot = 0; slot < e->call.nslots; slot++) {
            bool apart = slot == out.first ||
                         schedule_slot_chunk(e->s, rank, slot) < 0 ||
                         slot >= e->s->nslots;
            if (apart)
                size = (size + ALIGN - 1) / ALIGN * ALIGN;
            slots[slot].length = slot_length(e, rank, slot);
            if (pass == 1)
                slots[slot].data = e->memory[rank] + size;
            size += (size_t)slots[slot].length * e->ops.element;
        }
        if (pass == 0)
            e->memory[rank] = mem_new_aligned(size, 1);
    }
}

static void
fill_rank(struct engine *e, int rank)
{
    struct region in = schedule_input(e->s, rank);
    int64_t index = 0;

    for (int chunk = 0; chunk < in.count; chunk++) {
        const struct rank_slot *slot =
            &e->call.slots[(size_t)rank * (size_t)e->call.nslots +
                           (size_t)(in.first + chunk)];
        for (int64_t i = 0; i < e->lengths[chunk]; i++)
            input_element(&e->options.input, rank, index++,
                          slot->data + (size_t)i * e->ops.element);
        if (e->call.ledger != NULL)
            ledger_input(rank_row(&e->call, rank, in.first + chunk),
                         e->s->nranks, rank, chunk);
    }
}

void
engine_again(struct engine *e)
{
    for (int rank = 0; rank < e->s->nranks; rank++)
        e->ranks[rank].delayed_step = 0;
    e->granted = 0;
}

void
engine_reset(struct engine *e)
{
    size_t rows = (size_t)e->s->nranks * (size_t)e->call.nslots;

    if (e->call.ledger != NULL)
        memset(e->call.ledger, 0,
               rows * (size_t)ledger_words(e->s->nranks) * sizeof(uint64_t));
    for (int rank = 0; rank < e->s->nranks; rank++)
        fill_rank(e, rank);
    engine_again(e);
}

static void
choose_workers(struct engine *e)
{
    int64_t bytes = e->options.input.count * (int64_t)e->ops.element;
    int cores = pool_cores();

    e->nworkers = e->options.workers;
    if (e->nworkers == 0)
        e->nworkers =
            !e->options.watched && bytes <= ONE_WORKER_BYTES ? 1 : cores;
    if (e->nworkers > e->s->nranks)
        e->nworkers = e->s->nranks;
}

static void
choose_slice(struct engine *e)
{
    int64_t longest = e->lengths[0];
    int64_t element = (int64_t)e->ops.element;
    int64_t slice = e->options.slice;

    if (slice == 0)
        slice = longest * element <= WHOLE_CHUNK_BYTES ? longest * element
                                                       : SLICE_BYTES;
    e->slice = slice / element > 0 ? slice / element : 1;
    e->nslices = (int)((longest + e->slice - 1) / e->slice);
    if (e->nslices == 0)
        e->nslices = 1;
}

static void
bind(struct engine *e)
{
    struct rank_move *moves = mem_new(e->p->ntouched, sizeof *moves);

    for (int rank = 0; rank < e->s->nranks; rank++)
        for (size_t i = e->p->first[rank]; i < e->p->first[rank + 1]; i++)
            rank_bind(&e->call, moves + e->p->instrs[i].first_slot,
                      &e->p->instrs[i], rank, e->lengths);
    e->call.moves = moves;
}

static void
make_call(struct engine *e)
{
    struct rank_call *c = &e->call;
    const struct schedule *s = e->s;
    size_t n = (size_t)s->nranks;
    struct region *outputs = mem_new(n, sizeof *outputs);

    e->lengths = mem_new((size_t)s->nchunks, sizeof *e->lengths);
    for (int rank = 0; rank < s->nranks; rank++)
        outputs[rank] = schedule_output(s, rank);
    for (int chunk = 0; chunk < s->nchunks; chunk++)
        e->lengths[chunk] =
            schedule_chunk_length(s, e->options.input.count, chunk);
    *c = (struct rank_call){
        .instrs = e->p->instrs, .first = e->p->first, .waits = e->p->waits,
        .counters = mem_new_aligned(n, sizeof *c->counters),
        .slots = mem_new(n * (size_t)e->p->nslots, sizeof *c->slots),
        .outputs = outputs, .ops = &e->ops,
        .delays = e->options.delays, .nranks = s->nranks,
        .nslots = e->p->nslots, .nblocks = 1, .element = (int)e->ops.element,
        .divide = e->options.input.op == REDOP_AVG &&
                  s->collective->reduces,
    };
    for (int rank = 0; rank < s->nranks; rank++) {
        c->counters[rank].length = program_length(e->p, rank);
        place_slots(e, rank);
    }
    bind(e);
    if (e->options.watched)
        c->ledger = mem_new(n * (size_t)e->p->nslots *
                                (size_t)ledger_words(s->nranks),
                            sizeof *c->ledger);
}

struct engine *
engine_new(const struct schedule *s, const struct engine_options *o,
           struct err *err)
{
    struct engine *e = mem_new_aligned(1, sizeof *e);
    size_t n = (size_t)s->nranks;

    e->s = s;
    e->p = program_lower(s);
    e->options = *o;
    e->ops = (struct ops){kernels_for(o->input.type, o->input.op),
                          dtype_size(o->input.type), s->nranks, 0};
    e->memory = mem_new(n, sizeof *e->memory);
    e->ranks = mem_new_aligned(n, sizeof *e->ranks);
    e->logs = mem_new_aligned(n, sizeof *e->logs);
    e->taken = mem_new(n, sizeof *e->taken);
    e->log_room = mem_new(n, sizeof *e->log_room);
    e->content_room = mem_new(n, sizeof *e->content_room);
    make_call(e);
    choose_workers(e);
    choose_slice(e);
    for (int rank = 0; rank < s->nranks; rank++) {
        e->ranks[rank].index = rank;
        e->ranks[rank].log = &e->logs[rank];
    }
    if (o->fault != FAULT_NONE)
        program_set_fault(e->p, o->fault_step, o->fault_src, o->fault);
    engine_reset(e);
    set_range(e, 1, s->nsteps);
    if (!o->watched && e->nworkers == 1 && e->nslices == 1)
        e->solo = solo_new(e->p, e->call.moves, &e->ops.kernels,
                           e->ops.element);
    e->job.work = o->watched ? work_watched : work_plain;
    e->job.idle = tell;
    e->job.arg = e;
    e->job.first_id = !o->own_threads;
    e->pool = pool_new(e->nworkers - e->job.first_id, &e->job, err);
    if (e->pool == NULL) {
        engine_free(e);
        return NULL;
    }
    return e;
}

void
engine_free(struct engine *e)
{
    if (e == NULL)
        return;
    __atomic_store_n(&e->stop, 1, __ATOMIC_RELEASE);
    pool_free(e->pool);
    solo_free(e->solo);
    for (int rank = 0; rank < e->s->nranks; rank++) {
        free(e->memory[rank]);
        free(e->logs[rank].events);
        free(e->logs[rank].contents);
    }
    free(e->memory);
    free(e->ranks);
    free(e->logs);
    free(e->taken);
    free(e->log_room);
    free(e->content_room);
    free(e->call.counters);
    free((void *)e->call.slots);
    free((void *)e->call.moves);
    free(e->lengths);
    free((void *)e->call.outputs);
    free(e->call.ledger);
    program_free(e->p);
    free(e);
}
