/* SPDX-License-Identifier: MIT */
/* program_lower(): from the transfers of a schedule to the instructions of its
 * ranks.  What it knows about slots it keeps in extents, so that a transfer of
 * many slots costs little more than one of a single slot. */
#include "schedule/program.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "schedule/extents.h"

enum { AHEAD = 8 }; /* transfers whose slots are fetched before their turn */

/* A rank that reads a slot with its instruction number `count`, after others.
 * Many slots may share such a list.  All readers are kept until the program is
 * complete.  There is at most one for each slot that is read, so they are
 * usually smaller than the program. */
struct reader {
    int32_t rank;
    uint32_t count;
    uint32_t before; /* the reader before it, or READERS_NONE */
};

enum { READERS_NONE = 0 };

/* What a slot holds so far. */
struct slot_state {
    uint32_t written; /* its rank's count once it was last written; 0: input */
    uint32_t readers; /* since then: a list */
    int32_t shift;    /* the chunk whose length its data has, minus the slot */
};

/* The last write to a slot. */
struct slot_write {
    int32_t step;
    int32_t shift; /* as in struct slot_state, once it is written */
    int32_t stage; /* the staging slot it is built up in, minus the slot; 0 if
                    * there is none, or if it was applied */
};

struct lowering {
    const struct schedule *s;
    struct program *p;
    struct extents states; /* struct slot_state, by cell */
    struct extents writes; /* struct slot_write, by cell */
    struct extents reads;  /* int32_t: the last step that reads the cell */
    struct reader *readers;
    size_t nreaders, readers_capacity;
    size_t instrs_capacity, waits_capacity;
    uint32_t *length; /* by rank: instructions so far */
    uint32_t *known;  /* [rank * nranks + q]: count of q it waited for */
    size_t *wait_of;  /* by rank q: its place in the current wait list */
    int32_t *staged;  /* by rank: staging slots used in this step */
    int most_staged;
};

/* Looks at a slot of a rank, and lowers *count to the number of slots from
 * there on for which the same holds. */
static const void *
look_at(const struct lowering *l, const struct extents *at, int rank, int slot,
        int *count)
{
    int length;
    const void *item = extents_at(at, schedule_cell(l->s, rank, slot), &length);

    *count = least(*count, length);
    return item;
}

static struct slot_state
state_at(const struct lowering *l, int rank, int slot, int *count)
{
    return *(const struct slot_state *)look_at(l, &l->states, rank, slot,
                                               count);
}

static struct slot_write
write_at(const struct lowering *l, int rank, int slot, int *count)
{
    return *(const struct slot_write *)look_at(l, &l->writes, rank, slot,
                                               count);
}

static void
set_states(struct lowering *l, int rank, int slot, int count,
           struct slot_state state)
{
    extents_set(&l->states, schedule_cell(l->s, rank, slot), (size_t)count,
                &state);
}

static void
set_writes(struct lowering *l, int rank, int slot, int count,
           struct slot_write write)
{
    extents_set(&l->writes, schedule_cell(l->s, rank, slot), (size_t)count,
                &write);
}

static void
add_rank_wait(struct lowering *l, int rank, int q, uint32_t count, size_t first)
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

/* Waits until nobody reads `count` of the rank's own slots. */
static void
wait_for_readers(struct lowering *l, int rank, int slot, int count,
                 size_t first)
{
    for (int k = 0, length; k < count; k += length) {
        uint32_t at;
        length = count - k;
        at = state_at(l, rank, slot + k, &length).readers;
        while (at != READERS_NONE) {
            const struct reader *r = &l->readers[at];
            add_rank_wait(l, rank, r->rank, r->count, first);
            at = r->before;
        }
    }
}

static void
add_reader(struct lowering *l, int owner, int slot, int nslots, int rank,
           uint32_t count)
{
    for (int k = 0, length; k < nslots; k += length) {
        struct slot_state state;
        length = nslots - k;
        state = state_at(l, owner, slot + k, &length);
        l->readers = mem_grow(l->readers, l->nreaders, &l->readers_capacity,
                              sizeof *l->readers);
        l->readers[l->nreaders] = (struct reader){rank, count, state.readers};
        state.readers = (uint32_t)l->nreaders++;
        set_states(l, owner, slot + k, length, state);
    }
}

/* Notes that slots were written by their rank's instruction number `count`. */
static void
note_written(struct lowering *l, int rank, int slot, int nslots,
             uint32_t count)
{
    for (int k = 0, length; k < nslots; k += length) {
        struct slot_write write;
        length = nslots - k;
        write = write_at(l, rank, slot + k, &length);
        set_states(l, rank, slot + k, length,
                   (struct slot_state){count, READERS_NONE, write.shift});
    }
}

/* Appends an instruction. Returns its rank's count after that instruction. */
static uint32_t
emit_instr(struct lowering *l, int rank, struct instr in, size_t first_wait)
{
    struct program *p = l->p;

    in.first_wait = (uint32_t)first_wait;
    in.nwaits = (uint16_t)(p->nwaits - first_wait);
    in.first_slot = (uint32_t)rank; /* for owner_of(), until they are sorted */
    p->instrs = mem_grow(p->instrs, p->ninstrs, &l->instrs_capacity,
                         sizeof *p->instrs);
    p->instrs[p->ninstrs++] = in;
    return ++l->length[rank];
}

/* Emits a pull with its waits, and notes what it reads and writes. */
static void
emit_pull(struct lowering *l, int rank, const struct instr *in)
{
    size_t first = l->p->nwaits;
    bool staged = in->dst_slot >= l->s->nslots;
    uint32_t count;

    for (int k = 0, length; k < in->nslots; k += length) {
        length = in->nslots - k;
        add_rank_wait(l, rank, in->peer,
                      state_at(l, in->peer, in->src_slot + k, &length).written,
                      first);
    }
    if (!staged)
        wait_for_readers(l, rank, in->dst_slot, in->nslots, first);
    count = emit_instr(l, rank, *in, first);
    if (!staged)
        note_written(l, rank, in->dst_slot, in->nslots, count);
    if (in->peer != rank)
        add_reader(l, in->peer, in->src_slot, in->nslots, rank, count);
}

/* Joins the slots of `more` to those of an instruction, if both together are
 * one. */
static bool
join_instrs(struct instr *in, const struct instr *more)
{
    int n = in->nslots;
    int stride = more->first_chunk - instr_chunk(in, n - 1);

    if (more->src_slot != in->src_slot + n ||
        more->dst_slot != in->dst_slot + n ||
        more->add_slot != in->add_slot + n || stride < 0 || stride > 1 ||
        (n > 1 && in->chunk_stride != stride) ||
        (more->nslots > 1 && more->chunk_stride != stride))
        return false;
    in->chunk_stride = stride;
    in->nslots += more->nslots;
    return true;
}

/* Notes the first write of a step to some slots. If they are staged, they get
 * the rank's next staging slots. */
static struct slot_write
first_write(struct lowering *l, int rank, int slot, int count, bool staged,
            struct slot_write write)
{
    if (staged) {
        write.stage = l->s->nslots + l->staged[rank] - slot;
        l->staged[rank] += count;
    }
    if (l->staged[rank] > l->most_staged)
        l->most_staged = l->staged[rank];
    set_writes(l, rank, slot, count, write);
    return write;
}

/* The pull of slot `k` of a transfer, and of those after it that are alike.  A
 * reduction adds to what was there before the step, or to the result of an
 * earlier reduction of the step. */
static struct instr
pull_of(struct lowering *l, const struct transfer *t, int k, int step)
{
    bool copies = t->op == TRANSFER_COPY;
    int count = t->nslots - k, slot = t->dst_slot + k;
    int base_slot = (copies ? t->src_slot : t->add_slot) + k;
    struct slot_state src = state_at(l, t->src, t->src_slot + k, &count);
    struct slot_state base =
        state_at(l, copies ? t->src : t->dst, base_slot, &count);
    struct slot_write write = write_at(l, t->dst, slot, &count);
    bool staged =
        *(const int32_t *)look_at(l, &l->reads, t->dst, slot, &count) == step;
    bool first = write.step != step;

    if (first)
        write = first_write(l, t->dst, slot, count, staged,
                            (struct slot_write){
                                step, base.shift + base_slot - slot, 0});
    return (struct instr){
        .step = step,
        .peer = t->src,
        .src_slot = t->src_slot + k,
        .dst_slot = slot + write.stage,
        .add_slot = copies  ? slot
                    : first ? t->add_slot + k
                            : slot + write.stage,
        .nslots = count,
        .first_chunk = t->src_slot + k + src.shift,
        .chunk_stride = 1,
        .final_slot = slot,
        .op = copies ? INSTR_COPY : INSTR_REDUCE,
    };
}

/* Phase 1: the pulls of one transfer, with as many slots each as possible. */
static void
lower_pull(struct lowering *l, const struct transfer *t, int step)
{
    struct instr in = pull_of(l, t, 0, step), more;

    for (int k = in.nslots; k < t->nslots; k += more.nslots) {
        more = pull_of(l, t, k, step);
        if (join_instrs(&in, &more))
            continue;
        emit_pull(l, t->dst, &in);
        in = more;
    }
    emit_pull(l, t->dst, &in);
}

static void
emit_apply(struct lowering *l, int rank, const struct instr *in)
{
    size_t first = l->p->nwaits;

    wait_for_readers(l, rank, in->dst_slot, in->nslots, first);
    note_written(l, rank, in->dst_slot, in->nslots,
                 emit_instr(l, rank, *in, first));
}

/* Phase 2: copies the staged slots of one transfer to their places. Slots that
 * are direct, or were applied with an earlier transfer, are left out. */
static void
lower_apply(struct lowering *l, const struct transfer *t, int step)
{
    struct instr in = {.nslots = 0};

    for (int k = 0, count; k < t->nslots; k += count) {
        int slot = t->dst_slot + k;
        struct slot_write write;
        struct instr more;

        count = t->nslots - k;
        write = write_at(l, t->dst, slot, &count);
        if (write.stage == 0)
            continue;
        more = (struct instr){.step = step, .peer = t->dst,
                              .src_slot = slot + write.stage,
                              .dst_slot = slot, .add_slot = slot,
                              .final_slot = slot, .nslots = count,
                              .first_chunk = slot + write.shift,
                              .chunk_stride = 1,
                              .op = INSTR_APPLY};
        write.stage = 0;
        set_writes(l, t->dst, slot, count, write);
        if (in.nslots > 0 && join_instrs(&in, &more))
            continue;
        if (in.nslots > 0)
            emit_apply(l, t->dst, &in);
        in = more;
    }
    if (in.nslots > 0)
        emit_apply(l, t->dst, &in);
}

/* The slots of different ranks are far apart in memory: without prefetching the
 * lowering would mostly wait for memory. */
static void
prefetch_slots(const struct lowering *l, const struct transfer *t)
{
    size_t to = schedule_cell(l->s, t->dst, t->dst_slot);

    extents_fetch(&l->states, schedule_cell(l->s, t->src, t->src_slot));
    extents_fetch(&l->states, to);
    extents_fetch(&l->writes, to);
    extents_fetch(&l->reads, to);
    __builtin_prefetch(&l->known[(size_t)t->dst * (size_t)l->s->nranks +
                                 (size_t)t->src]);
}

/* Notes which slots a transfer reads.  What a reduction adds to is read by the
 * pull that writes it, unless it is another slot. */
static void
note_reads(struct lowering *l, const struct transfer *t, int32_t step)
{
    extents_set(&l->reads, schedule_cell(l->s, t->src, t->src_slot),
                (size_t)t->nslots, &step);
    if (t->op == TRANSFER_REDUCE && t->add_slot != t->dst_slot)
        extents_set(&l->reads, schedule_cell(l->s, t->dst, t->add_slot),
                    (size_t)t->nslots, &step);
}

static void
lower_step(struct lowering *l, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(l->s, step, &count);

    for (size_t i = 0; i < count; i++)
        note_reads(l, &t[i], step);
    memset(l->staged, 0, (size_t)l->s->nranks * sizeof *l->staged);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            prefetch_slots(l, &t[i + AHEAD]);
        lower_pull(l, &t[i], step);
    }
    for (size_t i = 0; i < count; i++)
        lower_apply(l, &t[i], step);
}

/* Fills first[nranks + 1] from the number of items of each rank r in
 * first[r + 1]. Returns a copy, to be counted up; the caller frees it. */
static size_t *
index_ranks(size_t *first, int nranks)
{
    size_t *next = mem_new((size_t)nranks + 1, sizeof *next);

    for (int r = 0; r < nranks; r++)
        first[r + 1] += first[r];
    memcpy(next, first, ((size_t)nranks + 1) * sizeof *next);
    return next;
}

/* The rank that an instruction was emitted for. */
static int
owner_of(const struct instr *in)
{
    return (int)in->first_slot;
}

/* A send for each pull from another rank, by its sender, in the order of the
 * steps. The instructions are still in the order in which they were emitted. */
static void
make_sends(struct program *p)
{
    const struct instr *in, *end = p->instrs + p->ninstrs;
    size_t *next;

    for (in = p->instrs; in < end; in++)
        p->first_send[in->peer + 1] += in->peer != owner_of(in);
    next = index_ranks(p->first_send, p->nranks);
    p->sends = mem_new(p->first_send[p->nranks], sizeof *p->sends);
    for (in = p->instrs; in < end; in++)
        if (in->peer != owner_of(in))
            p->sends[next[in->peer]++] =
                (struct send){in->step, owner_of(in), in->src_slot, in->nslots,
                              in->first_chunk, in->chunk_stride};
    free(next);
}

/* Sorts the instructions by rank, keeping the order within each. The memory of
 * those that were copied is given back, so that a large program is never there
 * twice. */
static void
sort_by_rank(struct program *p)
{
    enum { PART = 1 << 16 };
    struct instr *emitted = p->instrs;
    size_t *next;

    for (size_t i = 0; i < p->ninstrs; i++)
        p->first[owner_of(&emitted[i]) + 1]++;
    next = index_ranks(p->first, p->nranks);
    p->instrs = mem_new(p->ninstrs, sizeof *p->instrs);
    for (size_t i = 0; i < p->ninstrs; i++) {
        p->instrs[next[owner_of(&emitted[i])]++] = emitted[i];
        if ((i + 1) % PART == 0)
            mem_discard(&emitted[i + 1 - PART], PART * sizeof *emitted);
    }
    free(next);
    free(emitted);
}

static void
lowering_init(struct lowering *l, const struct schedule *s, struct program *p)
{
    size_t n = (size_t)s->nranks, cells = n * (size_t)s->nslots;

    *l = (struct lowering){.s = s, .p = p, .nreaders = READERS_NONE + 1};
    extents_init(&l->states, cells, sizeof(struct slot_state),
                 &(struct slot_state){0});
    extents_init(&l->writes, cells, sizeof(struct slot_write),
                 &(struct slot_write){0});
    extents_init(&l->reads, cells, sizeof(int32_t), &(int32_t){0});
    l->length = mem_new(n, sizeof *l->length);
    l->known = mem_new_aligned(n * n, sizeof *l->known);
    l->wait_of = mem_new(n, sizeof *l->wait_of);
    l->staged = mem_new(n, sizeof *l->staged);
    for (int rank = 0; rank < s->nranks; rank++)
        for (int slot = 0; slot < s->nslots; slot++) {
            int chunk = schedule_first_chunk(s, rank, slot);
            set_states(l, rank, slot, 1,
                       (struct slot_state){.shift = chunk - slot});
        }
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
    for (int rank = 0; rank < s->nranks; rank++) {
        size_t first = p->nwaits;
        wait_for_readers(&l, rank, 0, s->nslots, first);
        emit_instr(&l, rank,
                   (struct instr){.step = s->nsteps + 1, .peer = rank,
                                  .op = INSTR_END},
                   first);
    }
    p->nslots = s->nslots + l.most_staged;
    extents_done(&l.states);
    extents_done(&l.writes);
    extents_done(&l.reads);
    free(l.readers);
    free(l.length);
    free(l.known);
    free(l.wait_of);
    free(l.staged);
    make_sends(p);
    sort_by_rank(p);
    for (size_t i = 0; i < p->ninstrs; i++) {
        p->instrs[i].first_slot = (uint32_t)p->ntouched;
        p->ntouched += (size_t)p->instrs[i].nslots;
    }
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
