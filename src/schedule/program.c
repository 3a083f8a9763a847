/* SPDX-License-Identifier: MIT */
#include "schedule/program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
    NOWHERE = -1,
    AHEAD = 8, /* transfers whose slots are fetched before their turn */
};

/* A rank that reads a slot with its instruction number `count`. */
struct reader {
    int32_t rank;
    uint32_t count;
    uint32_t next; /* index + 1 in the pool; 0 ends the list */
};

/* What the lowering knows about a slot of a rank so far. */
struct slot_history {
    uint32_t written; /* its rank's count once it was last written; 0: input */
    uint32_t readers; /* since then: a list in the pool */
    int32_t chunk;    /* whose length its data has */
    int32_t next_chunk; /* the same after write_step */
    int32_t read_step;  /* the last step that reads it */
    int32_t write_step; /* the last step that writes it */
    int32_t stage;      /* the staging slot it is built up in, in write_step */
};

struct lowering {
    const struct schedule *s;
    struct program *p;
    struct slot_history *histories;
    struct reader *readers; /* the pool */
    size_t nreaders, readers_capacity;
    uint32_t free_readers;
    size_t instrs_capacity, waits_capacity, sends_capacity;
    int32_t *owner;    /* by instruction: its rank */
    int32_t *sender;   /* by send: its rank */
    size_t nsends;
    uint32_t *length;     /* by rank: instructions so far */
    uint32_t *known;      /* [rank * nranks + q]: count of q it waited for */
    size_t *wait_of;      /* by rank q: its place in the current wait list */
    int32_t *staged;      /* by rank: staging slots used in this step */
    int most_staged;
};

static struct slot_history *
history_of(const struct lowering *l, int rank, int slot)
{
    return &l->histories[(size_t)rank * (size_t)l->s->nslots + (size_t)slot];
}

static void
add_wait(struct lowering *l, int rank, int q, uint32_t count, size_t first)
{
    struct program *p = l->p;
    uint32_t *known = &l->known[(size_t)rank * (size_t)p->nranks + (size_t)q];
    size_t at = l->wait_of[q];

    if (q == rank || *known >= count)
        return;
    *known = count;
    if (at >= first && at < p->nwaits && p->waits[at].rank == q) {
        p->waits[at].count = count;
        return;
    }
    p->waits =
        mem_grow(p->waits, p->nwaits, &l->waits_capacity, sizeof *p->waits);
    l->wait_of[q] = p->nwaits;
    p->waits[p->nwaits++] = (struct wait){q, count};
}

static void
add_reader(struct lowering *l, struct slot_history *slot, int rank,
           uint32_t count)
{
    uint32_t at = l->free_readers;

    if (at != 0) {
        l->free_readers = l->readers[at - 1].next;
    } else {
        l->readers = mem_grow(l->readers, l->nreaders, &l->readers_capacity,
                              sizeof *l->readers);
        at = (uint32_t)++l->nreaders;
    }
    l->readers[at - 1] = (struct reader){rank, count, slot->readers};
    slot->readers = at;
}

static void
wait_for_readers(struct lowering *l, int rank, struct slot_history *slot,
                 size_t first)
{
    while (slot->readers != 0) {
        uint32_t at = slot->readers;
        struct reader *r = &l->readers[at - 1];
        assert(at <= l->nreaders);
        add_wait(l, rank, r->rank, r->count, first);
        slot->readers = r->next;
        r->next = l->free_readers;
        l->free_readers = at;
    }
}

/* Appends an instruction. Returns its rank's count after that instruction. */
static uint32_t
emit(struct lowering *l, int rank, struct instr in, size_t first_wait)
{
    struct program *p = l->p;
    size_t old = l->instrs_capacity;

    in.first_wait = (uint32_t)first_wait;
    in.nwaits = (uint16_t)(p->nwaits - first_wait);
    p->instrs = mem_grow(p->instrs, p->ninstrs, &l->instrs_capacity,
                         sizeof *p->instrs);
    if (l->instrs_capacity != old)
        l->owner =
            mem_resize(l->owner, l->instrs_capacity, sizeof *l->owner);
    l->owner[p->ninstrs] = rank;
    p->instrs[p->ninstrs++] = in;
    return ++l->length[rank];
}

static void
add_send(struct lowering *l, int rank, const struct instr *in)
{
    struct program *p = l->p;
    size_t old = l->sends_capacity;

    p->sends =
        mem_grow(p->sends, l->nsends, &l->sends_capacity, sizeof *p->sends);
    if (l->sends_capacity != old)
        l->sender =
            mem_resize(l->sender, l->sends_capacity, sizeof *l->sender);
    l->sender[l->nsends] = in->peer;
    p->sends[l->nsends++] =
        (struct send){in->step, rank, in->src_slot, in->nslots, in->chunk};
}

/* Emits a pull with its waits, and notes what it reads and writes. */
static void
emit_pull(struct lowering *l, int rank, const struct instr *in)
{
    size_t first = l->p->nwaits;
    bool staged = in->dst_slot >= l->s->nslots;
    uint32_t count;

    for (int k = 0; k < in->nslots; k++) {
        uint32_t written = history_of(l, in->peer, in->src_slot + k)->written;
        add_wait(l, rank, in->peer, written, first);
        if (!staged)
            wait_for_readers(l, rank, history_of(l, rank, in->dst_slot + k),
                             first);
    }
    count = emit(l, rank, *in, first);
    for (int k = 0; k < in->nslots; k++) {
        struct slot_history *src = history_of(l, in->peer, in->src_slot + k);
        if (in->peer != rank)
            add_reader(l, src, rank, count);
        if (!staged) {
            struct slot_history *dst = history_of(l, rank, in->dst_slot + k);
            dst->written = count;
            dst->chunk = dst->next_chunk;
        }
    }
    if (in->peer != rank)
        add_send(l, rank, in);
}

/* Whether one more slot can join a pull. */
static bool
extends(const struct instr *run, const struct instr *one)
{
    return one->dst_slot == run->dst_slot + run->nslots &&
           one->add_slot == run->add_slot + run->nslots &&
           one->chunk == run->chunk + run->nslots;
}

/* Notes that a transfer writes slot `k` of its destination in this step. The
 * first transfer to do so decides whether the slot is staged. */
static struct slot_history *
note_write(struct lowering *l, const struct transfer *t, int k, int step)
{
    struct slot_history *dst = history_of(l, t->dst, t->dst_slot + k);
    int32_t chunk = history_of(l, t->src, t->src_slot + k)->chunk;

    if (dst->write_step != step) {
        dst->write_step = step;
        dst->next_chunk = t->op == TRANSFER_COPY
                              ? chunk
                              : history_of(l, t->dst, t->add_slot + k)->chunk;
        dst->stage = dst->read_step == step
                         ? l->s->nslots + l->staged[t->dst]++
                         : NOWHERE;
        if (l->staged[t->dst] > l->most_staged)
            l->most_staged = l->staged[t->dst];
    }
    return dst;
}

/* The pull of slot `k` of a transfer.  A reduction adds to what was there
 * before the step, or to the result of an earlier reduction of the step. */
static struct instr
pull_of(struct lowering *l, const struct transfer *t, int k, int step)
{
    bool first = history_of(l, t->dst, t->dst_slot + k)->write_step != step;
    const struct slot_history *dst = note_write(l, t, k, step);
    int target = dst->stage == NOWHERE ? t->dst_slot + k : dst->stage;
    bool copies = t->op == TRANSFER_COPY;

    return (struct instr){
        .step = step,
        .peer = t->src,
        .src_slot = t->src_slot + k,
        .dst_slot = target,
        .add_slot = copies  ? t->dst_slot + k
                    : first ? t->add_slot + k
                            : target,
        .nslots = 1,
        .chunk = history_of(l, t->src, t->src_slot + k)->chunk,
        .final_slot = t->dst_slot + k,
        .op = copies ? INSTR_COPY : INSTR_REDUCE,
    };
}

/* Phase 1: the pulls of one transfer, with as many slots each as possible. */
static void
lower_pull(struct lowering *l, const struct transfer *t, int step)
{
    struct instr run = pull_of(l, t, 0, step);

    for (int k = 1; k < t->nslots; k++) {
        struct instr one = pull_of(l, t, k, step);
        if (extends(&run, &one)) {
            run.nslots++;
        } else {
            emit_pull(l, t->dst, &run);
            run = one;
        }
    }
    emit_pull(l, t->dst, &run);
}

static void
emit_apply(struct lowering *l, int rank, const struct instr *in)
{
    size_t first = l->p->nwaits;
    uint32_t count;

    for (int k = 0; k < in->nslots; k++)
        wait_for_readers(l, rank, history_of(l, rank, in->dst_slot + k),
                         first);
    count = emit(l, rank, *in, first);
    for (int k = 0; k < in->nslots; k++) {
        struct slot_history *dst = history_of(l, rank, in->dst_slot + k);
        dst->written = count;
        dst->chunk = dst->next_chunk;
        dst->stage = NOWHERE;
    }
}

/* Phase 2: copies the staged slots of one transfer to their places. */
static void
lower_apply(struct lowering *l, const struct transfer *t, int step)
{
    struct instr run = {.nslots = 0};

    for (int k = 0; k < t->nslots; k++) {
        int slot = t->dst_slot + k;
        const struct slot_history *dst = history_of(l, t->dst, slot);

        if (dst->stage == NOWHERE) /* direct, or applied with an earlier one */
            continue;
        if (run.nslots > 0 && dst->stage == run.src_slot + run.nslots &&
            slot == run.dst_slot + run.nslots &&
            dst->next_chunk == run.chunk + run.nslots) {
            run.nslots++;
            continue;
        }
        if (run.nslots > 0)
            emit_apply(l, t->dst, &run);
        run = (struct instr){.step = step, .peer = t->dst,
                             .src_slot = dst->stage, .dst_slot = slot,
                             .add_slot = slot, .final_slot = slot,
                             .nslots = 1, .chunk = dst->next_chunk,
                             .op = INSTR_APPLY};
    }
    if (run.nslots > 0)
        emit_apply(l, t->dst, &run);
}

/* The slots of different ranks are far apart in memory: without prefetching the
 * lowering would mostly wait for memory. */
static void
fetch(const struct lowering *l, const struct transfer *t)
{
    __builtin_prefetch(history_of(l, t->src, t->src_slot));
    __builtin_prefetch(history_of(l, t->dst, t->dst_slot));
    __builtin_prefetch(&l->known[(size_t)t->dst * (size_t)l->s->nranks +
                                 (size_t)t->src]);
}

static void
lower_step(struct lowering *l, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(l->s, step, &count);

    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            fetch(l, &t[i + AHEAD]);
        for (int k = 0; k < t[i].nslots; k++) {
            history_of(l, t[i].src, t[i].src_slot + k)->read_step = step;
            if (t[i].op == TRANSFER_REDUCE && t[i].add_slot != t[i].dst_slot)
                history_of(l, t[i].dst, t[i].add_slot + k)->read_step = step;
        }
    }
    memset(l->staged, 0, (size_t)l->s->nranks * sizeof *l->staged);
    for (size_t i = 0; i < count; i++)
        lower_pull(l, &t[i], step);
    for (size_t i = 0; i < count; i++)
        lower_apply(l, &t[i], step);
}

static void
lower_end(struct lowering *l, int rank)
{
    size_t first = l->p->nwaits;

    for (int slot = 0; slot < l->s->nslots; slot++)
        wait_for_readers(l, rank, history_of(l, rank, slot), first);
    emit(l, rank,
         (struct instr){.step = l->s->nsteps + 1, .peer = rank,
                        .op = INSTR_END},
         first);
}

/* Sorts what was emitted for all ranks by rank, keeping the order within each.
 * Frees `items`, returns the sorted list and fills first[nranks + 1]. */
static void *
by_rank(void *items, size_t count, size_t size, const int32_t *owner,
        int nranks, size_t *first)
{
    char *sorted = mem_new(count, size);
    size_t *next = mem_new((size_t)nranks + 1, sizeof *next);

    for (size_t i = 0; i < count; i++)
        next[owner[i] + 1]++;
    for (int r = 0; r < nranks; r++)
        next[r + 1] += next[r];
    memcpy(first, next, ((size_t)nranks + 1) * sizeof *first);
    for (size_t i = 0; i < count; i++)
        memcpy(sorted + next[owner[i]]++ * size, (char *)items + i * size,
               size);
    free(next);
    free(items);
    return sorted;
}

static void
lowering_init(struct lowering *l, const struct schedule *s, struct program *p)
{
    size_t n = (size_t)s->nranks;

    *l = (struct lowering){.s = s, .p = p};
    l->histories = mem_new_aligned(n * (size_t)s->nslots, sizeof *l->histories);
    l->length = mem_new(n, sizeof *l->length);
    l->known = mem_new_aligned(n * n, sizeof *l->known);
    l->wait_of = mem_new(n, sizeof *l->wait_of);
    l->staged = mem_new(n, sizeof *l->staged);
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region input = schedule_input(s, rank);
        for (int slot = 0; slot < s->nslots; slot++) {
            struct slot_history *history = history_of(l, rank, slot);
            history->chunk = region_has(input, slot)
                                 ? slot - input.first
                                 : schedule_slot_room(s, rank, slot);
            history->stage = NOWHERE;
        }
    }
}

static void
lowering_done(struct lowering *l)
{
    free(l->histories);
    free(l->readers);
    free(l->owner);
    free(l->sender);
    free(l->length);
    free(l->known);
    free(l->wait_of);
    free(l->staged);
}

struct program *
program_lower(const struct schedule *s)
{
    struct program *p = mem_new(1, sizeof *p);
    struct lowering l;

    assert(s->nranks > 0);
    p->nranks = s->nranks;
    p->nsteps = s->nsteps;
    p->nchunks = s->nchunks;
    p->first = mem_new((size_t)s->nranks + 1, sizeof *p->first);
    p->first_send = mem_new((size_t)s->nranks + 1, sizeof *p->first_send);
    lowering_init(&l, s, p);
    for (int step = 1; step <= s->nsteps; step++)
        lower_step(&l, step);
    for (int rank = 0; rank < s->nranks; rank++)
        lower_end(&l, rank);
    p->nslots = s->nslots + l.most_staged;
    p->instrs = by_rank(p->instrs, p->ninstrs, sizeof *p->instrs, l.owner,
                        p->nranks, p->first);
    p->sends = by_rank(p->sends, l.nsends, sizeof *p->sends, l.sender,
                       p->nranks, p->first_send);
    for (size_t i = 0; i < p->ninstrs; i++) {
        p->instrs[i].first_slot = (uint32_t)p->ntouched;
        p->ntouched += (size_t)p->instrs[i].nslots;
    }
    lowering_done(&l);
    return p;
}

void
program_free(struct program *p)
{
    if (p == NULL)
        return;
    free(p->instrs);
    free(p->first);
    free(p->waits);
    free(p->sends);
    free(p->first_send);
    free(p);
}

uint32_t
program_length(const struct program *p, int rank)
{
    return (uint32_t)(p->first[rank + 1] - p->first[rank]);
}

uint32_t
program_at_step(const struct program *p, int rank, int step)
{
    const struct instr *list = p->instrs + p->first[rank];
    uint32_t low = 0, high = program_length(p, rank);

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (list[middle].step < step)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int
program_set_fault(struct program *p, const struct fault *fault)
{
    int marked = 0;

    for (int rank = 0; fault->kind != FAULT_NONE && rank < p->nranks; rank++) {
        uint32_t end = program_at_step(p, rank, fault->step + 1);
        for (uint32_t i = program_at_step(p, rank, fault->step); i < end; i++) {
            struct instr *in = &p->instrs[p->first[rank] + i];
            if (in->peer != fault->src || in->op == INSTR_APPLY ||
                rank == fault->src)
                continue;
            in->fault = (uint8_t)fault->kind;
            marked++;
        }
    }
    return marked;
}
