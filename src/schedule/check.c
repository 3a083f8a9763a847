/* SPDX-License-Identifier: MIT */
#include "schedule/check.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "schedule/label.h"
#include "schedule/meter.h"

/* What a slot holds, besides the set of ranks that it is the sum of. */
enum {
    CHUNK_NONE = -1,  /* never written: memory may hold anything */
    CHUNK_MIXED = -2, /* a sum of different chunks: always wrong */
};
struct mark {
    int chunk;      /* the chunk of all contributions */
    int twice_step; /* the step that added one a second time, or 0 */
};

enum { AHEAD = 4 }; /* transfers whose slots are fetched before their turn */

/* Sets of ranks are bitsets of `words` words, one for each slot. */
struct proof {
    const struct schedule *s;
    struct err *err; /* the first fault in time */
    int fault_step;  /* its step; 0: no fault so far */
    size_t cells;
    size_t words;
    uint64_t *sets;
    struct mark *marks;

    /* What this step writes; applied after the whole step was read. */
    size_t npending, pending_capacity;
    size_t *pending_cell;
    struct mark *pending_marks;
    uint64_t *pending_sets;
    size_t *pending_of; /* by cell: index into pending + 1, or 0 */
};

static size_t
cell_of(const struct schedule *s, int rank, int slot)
{
    return (size_t)rank * (size_t)s->nslots + (size_t)slot;
}

static void
proof_init(struct proof *p, const struct schedule *s, struct err *err)
{
    *p = (struct proof){.s = s, .err = err};
    p->cells = (size_t)s->nranks * (size_t)s->nslots;
    p->words = ((size_t)s->nranks + 63) / 64;
    p->sets = mem_new_aligned(p->cells * p->words, sizeof *p->sets);
    p->marks = mem_new_aligned(p->cells, sizeof *p->marks);
    p->pending_of = mem_new_aligned(p->cells, sizeof *p->pending_of);
    for (size_t i = 0; i < p->cells; i++)
        p->marks[i].chunk = CHUNK_NONE;
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region input = schedule_input(s, rank);
        for (int c = 0; c < input.count; c++) {
            size_t cell = cell_of(s, rank, input.first + c);
            p->sets[cell * p->words + (size_t)rank / 64] |=
                UINT64_C(1) << rank % 64;
            p->marks[cell].chunk = c;
        }
    }
}

static void
proof_done(struct proof *p)
{
    free(p->sets);
    free(p->marks);
    free(p->pending_cell);
    free(p->pending_marks);
    free(p->pending_sets);
    free(p->pending_of);
}

/* Where to put the reason for a fault in `step`. Returns NULL if an earlier
 * fault, or another one of this step, is known. */
static struct err *
blame(struct proof *p, int step)
{
    if (p->fault_step != 0 && p->fault_step <= step)
        return NULL;
    p->fault_step = step;
    return p->err;
}

/* The region of a rank that a slot lies in, and where in it. */
static const char *
region_of(const struct schedule *s, int slot, int *index)
{
    int outputs = schedule_outputs(s).first, scratch = schedule_scratch(s);

    if (slot >= scratch)
        return *index = slot - scratch, "scratch";
    if (s->in_place)
        return *index = slot, "buffer";
    if (slot >= outputs)
        return *index = slot - outputs, "output";
    return *index = slot, "input";
}

/* Blames a transfer that reads memory which was never written. */
static void
blame_unwritten(struct proof *p, const struct transfer *t, size_t cell,
                bool is_source, int step)
{
    struct err *err = blame(p, step);
    int rank = (int)(cell / (size_t)p->s->nslots);
    int slot = (int)(cell % (size_t)p->s->nslots), chunk;
    const char *region = region_of(p->s, slot, &chunk);

    if (err != NULL)
        err_set(err, "step %d: rank %d %s slot %d, chunk %d of its %s, which "
                "was never written", step, rank,
                !is_source         ? "adds to"
                : t->src == t->dst ? "moves"
                                   : "sends",
                slot, chunk, region);
}

/* Adds the contributions of `from` to those of `to`, both sets with marks. */
static void
merge(const struct proof *p, uint64_t *to, struct mark *mark,
      const uint64_t *from, const struct mark *other, int step)
{
    bool overlap = false;

    if (mark->chunk == CHUNK_NONE)
        mark->chunk = other->chunk;
    else if (other->chunk != CHUNK_NONE && other->chunk != mark->chunk)
        mark->chunk = CHUNK_MIXED;
    for (size_t w = 0; w < p->words; w++) {
        overlap |= (to[w] & from[w]) != 0;
        to[w] |= from[w];
    }
    if (mark->twice_step == 0)
        mark->twice_step = overlap ? step : other->twice_step;
}

/* Finds the pending write to a cell, or makes it (*fresh). */
static size_t
pending(struct proof *p, size_t cell, bool *fresh)
{
    size_t old = p->pending_capacity, at = p->pending_of[cell];

    assert(at <= p->npending);
    *fresh = at == 0;
    if (at != 0)
        return at - 1;
    p->pending_cell = mem_grow(p->pending_cell, p->npending,
                               &p->pending_capacity, sizeof *p->pending_cell);
    if (p->pending_capacity != old) {
        p->pending_marks = mem_resize(p->pending_marks, p->pending_capacity,
                                      sizeof *p->pending_marks);
        p->pending_sets =
            mem_resize(p->pending_sets, p->pending_capacity * p->words,
                       sizeof *p->pending_sets);
    }
    p->pending_cell[p->npending] = cell;
    p->pending_of[cell] = p->npending + 1;
    return p->npending++;
}

/* The slots of different ranks are far apart in memory: without prefetching the
 * proof would mostly wait for memory. */
static void
fetch(const struct proof *p, const struct transfer *t)
{
    size_t from = cell_of(p->s, t->src, t->src_slot);
    size_t to = cell_of(p->s, t->dst, t->dst_slot);

    __builtin_prefetch(&p->marks[from]);
    __builtin_prefetch(&p->marks[to]);
    __builtin_prefetch(&p->pending_of[to]);
    for (size_t w = 0; w < p->words; w += 8) {
        __builtin_prefetch(p->sets + from * p->words + w);
        __builtin_prefetch(p->sets + to * p->words + w);
    }
}

static void
run_transfer(struct proof *p, const struct transfer *t, int step)
{
    for (int k = 0; k < t->nslots; k++) {
        size_t from = cell_of(p->s, t->src, t->src_slot + k);
        size_t add = cell_of(p->s, t->dst, t->add_slot + k);
        bool fresh;
        size_t i = pending(p, cell_of(p->s, t->dst, t->dst_slot + k), &fresh);
        size_t base = t->op == TRANSFER_REDUCE ? add : from;

        if (p->marks[from].chunk == CHUNK_NONE)
            blame_unwritten(p, t, from, true, step);
        if (fresh) {
            if (p->marks[base].chunk == CHUNK_NONE)
                blame_unwritten(p, t, base, false, step);
            memcpy(p->pending_sets + i * p->words, p->sets + base * p->words,
                   p->words * sizeof *p->sets);
            p->pending_marks[i] = p->marks[base];
        }
        if (t->op == TRANSFER_REDUCE)
            merge(p, p->pending_sets + i * p->words, &p->pending_marks[i],
                  p->sets + from * p->words, &p->marks[from], step);
    }
}

static void
apply_pending(struct proof *p)
{
    for (size_t i = 0; i < p->npending; i++) {
        size_t cell = p->pending_cell[i];
        memcpy(p->sets + cell * p->words, p->pending_sets + i * p->words,
               p->words * sizeof *p->sets);
        p->marks[cell] = p->pending_marks[i];
        p->pending_of[cell] = 0;
    }
    p->npending = 0;
}

/* Elements that a transfer moves. */
static int64_t
length_of(const struct proof *p, const struct transfer *t,
          const int64_t *lengths)
{
    int64_t length = 0;

    for (int k = 0; k < t->nslots; k++) {
        int chunk = p->marks[cell_of(p->s, t->src, t->src_slot + k)].chunk;
        if (chunk != CHUNK_NONE)
            length += lengths[chunk == CHUNK_MIXED ? 0 : chunk];
    }
    return length;
}

/* Appends "A0+B0", cut after a few ranks. */
static void
describe(const struct proof *p, size_t cell, struct buf *out)
{
    enum { SHOWN = 8 };
    const uint64_t *set = p->sets + cell * p->words;
    const struct mark *mark = &p->marks[cell];
    char letter[LABEL_RANK_MAX];
    int shown = 0;

    if (mark->chunk == CHUNK_NONE) {
        buf_puts(out, "nothing");
        return;
    }
    for (int rank = 0; rank < p->s->nranks; rank++) {
        if (!(set[rank / 64] >> rank % 64 & 1))
            continue;
        if (shown++ == SHOWN) {
            buf_puts(out, "+...");
            break;
        }
        buf_addf(out, "%s%s", shown > 1 ? "+" : "", label_rank(rank, letter));
        if (mark->chunk != CHUNK_MIXED)
            buf_addf(out, "%d", mark->chunk);
    }
    if (mark->chunk == CHUNK_MIXED)
        buf_puts(out, " of different chunks");
}

/* Word w of the set of promised ranks: one rank, or all. */
static uint64_t
promised_word(const struct proof *p, struct promise want, size_t w)
{
    size_t left = (size_t)p->s->nranks - w * 64;

    if (want.origin != PROMISE_ALL)
        return (size_t)want.origin / 64 == w
                   ? UINT64_C(1) << want.origin % 64 : 0;
    return left >= 64 ? UINT64_MAX : (UINT64_C(1) << left) - 1;
}

static bool
holds_promise(const struct proof *p, size_t cell, struct promise want,
              int *missing)
{
    const uint64_t *set = p->sets + cell * p->words;

    *missing = -1;
    if (p->marks[cell].chunk != want.chunk || p->marks[cell].twice_step != 0)
        return false;
    for (size_t w = 0; w < p->words; w++) {
        uint64_t promised = promised_word(p, want, w);
        if (set[w] == promised)
            continue;
        for (int bit = 63; bit >= 0; bit--)
            if (promised & ~set[w] & UINT64_C(1) << bit)
                *missing = (int)w * 64 + bit;
        return false;
    }
    return true;
}

static void
judge_output(struct proof *p, int rank, int chunk)
{
    struct promise want = schedule_promise(p->s, rank, chunk);
    int slot = schedule_output(p->s, rank).first + chunk;
    size_t cell = cell_of(p->s, rank, slot);
    int twice = p->marks[cell].twice_step, missing;
    struct buf found = {0};
    char letter[LABEL_RANK_MAX];
    struct err *err;

    if (holds_promise(p, cell, want, &missing) ||
        (err = blame(p, twice != 0 ? twice : p->s->nsteps + 1)) == NULL)
        return;
    describe(p, cell, &found);
    if (twice != 0)
        err_set(err, "chunk %d of rank %d's output ends as %s, with a "
                "contribution that is in it more than once: step %d adds it "
                "again", chunk, rank, buf_text(&found), twice);
    else if (missing >= 0)
        err_set(err, "chunk %d of rank %d's output ends as %s: %s%d is "
                "missing", chunk, rank, buf_text(&found),
                label_rank(missing, letter), want.chunk);
    else
        err_set(err, "chunk %d of rank %d's output ends as %s: it should hold "
                "chunk %d of %s", chunk, rank, buf_text(&found), want.chunk,
                want.origin == PROMISE_ALL ? "every rank"
                                           : label_rank(want.origin, letter));
    buf_done(&found);
}

static void
judge_input(struct proof *p, int rank, int chunk)
{
    size_t cell =
        cell_of(p->s, rank, schedule_input(p->s, rank).first + chunk);
    struct promise own = {rank, chunk};
    struct err *err;
    int missing;

    if (!holds_promise(p, cell, own, &missing) &&
        (err = blame(p, p->s->nsteps + 1)) != NULL)
        err_set(err, "out of place, but chunk %d of rank %d's input is "
                "written", chunk, rank);
}

static void
judge_link(struct proof *p, const struct transfer *t, int step)
{
    const struct schedule *s = p->s;
    struct err *err;

    if (!topology_links(&s->topology, s->nranks, s->root, t->src, t->dst) &&
        (err = blame(p, step)) != NULL)
        err_set(err, "step %d: rank %d sends to rank %d; there is no such "
                "link (%s)", step, t->src, t->dst,
                topology_name(s->topology.kind));
}

/* Judges what ranks end with. */
static void
judge_end(struct proof *p)
{
    for (int rank = 0; rank < p->s->nranks; rank++) {
        int outputs = schedule_output(p->s, rank).count;
        int inputs = schedule_input(p->s, rank).count;
        for (int c = 0; c < outputs; c++)
            judge_output(p, rank, c);
        for (int c = 0; !p->s->in_place && c < inputs; c++)
            judge_input(p, rank, c);
    }
}

static void
check_step(struct proof *p, struct meter *m, const int64_t *lengths, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(p->s, step, &count);

    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            fetch(p, &t[i + AHEAD]);
        judge_link(p, &t[i], step);
        run_transfer(p, &t[i], step);
        meter_transfer(m, &t[i], step, length_of(p, &t[i], lengths));
    }
    apply_pending(p);
}

bool
schedule_check(const struct schedule *s, int64_t count,
               struct check_counts *counts, struct err *err)
{
    int64_t *lengths;
    struct meter m;
    struct proof p;

    if (counts != NULL)
        *counts = (struct check_counts){0};
    if (!schedule_valid(s, err))
        return false;
    lengths = schedule_chunk_lengths(s, count);
    proof_init(&p, s, err);
    meter_init(&m, s->nranks);
    for (int step = 1; step <= s->nsteps; step++)
        check_step(&p, &m, lengths, step);
    judge_end(&p);
    if (counts != NULL)
        *counts = m.counts;
    meter_done(&m);
    proof_done(&p);
    free(lengths);
    return p.fault_step == 0;
}
