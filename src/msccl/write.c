/* SPDX-License-Identifier: MIT */
/* A schedule as thread blocks, one chunk a step.
 *
 * Every rank goes through the schedule twice a step: first what only reads,
 * sends and copies of what will be overwritten before it is added or copied;
 * then what writes, receives and local transfers.  In this order each
 * instruction waits for the last writer of what it reads, and for the last
 * writer and the readers since then of what it writes.  So no wait points
 * forward, on links that hold what a step sends. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/xml.h"
#include "msccl/msccl.h"

enum { NONE = -1 };

struct instruction {
    const char *type;
    int src, dst; /* slots; NONE: not used */
    int dep;      /* instruction of the rank that it waits for, or NONE */
    int block, step;
    int next; /* of its block, or NONE */
    bool awaited;
};

struct block {
    int send, recv; /* peers, or NONE */
    int first, last, count; /* instructions */
    int latest;     /* of an instruction's dependencies, or NONE */
};

/* Who uses a slot; readers are a list in `readings`. */
struct cell {
    int writer;  /* instruction, or NONE */
    int written; /* the schedule's step of that */
    int reading;
};
struct reading {
    int instruction, next;
};

/* One rank. */
struct writer {
    const struct schedule *s;
    int rank;
    int scratch; /* slots with those for copies */
    struct instruction *instructions;
    size_t ninstructions, instructions_capacity;
    struct block *blocks;
    size_t nblocks, blocks_capacity;
    int *sends, *receives; /* by peer: block, or NONE */
    int local;             /* block, or NONE */
    struct cell *cells;
    size_t ncells;
    struct reading *readings;
    size_t nreadings, readings_capacity;
    int *needed; /* the blocks whose `latest` is set */
    size_t nneeded, needed_capacity;
    int *copied; /* by slot: where its copy is in this step, or NONE */
    bool *written; /* by slot: this step writes it, by another's transfer */
};

static int
block_for(struct writer *w, int *at, int send, int recv)
{
    if (*at == NONE) {
        w->blocks = mem_grow(w->blocks, w->nblocks, &w->blocks_capacity,
                             sizeof *w->blocks);
        w->blocks[w->nblocks] = (struct block){
            send, recv, NONE, NONE, 0, NONE};
        *at = (int)w->nblocks++;
    }
    return *at;
}

static void
need(struct writer *w, int instruction)
{
    int block = w->instructions[instruction].block;
    struct block *b = &w->blocks[block];

    if (b->latest == NONE) {
        w->needed = mem_grow(w->needed, w->nneeded, &w->needed_capacity,
                             sizeof *w->needed);
        w->needed[w->nneeded++] = block;
    }
    b->latest = instruction > b->latest ? instruction : b->latest;
}

static void
need_writer(struct writer *w, int slot)
{
    if (w->cells[slot].writer != NONE)
        need(w, w->cells[slot].writer);
}

static void
append(struct writer *w, struct instruction i)
{
    struct block *b = &w->blocks[i.block];
    int index = (int)w->ninstructions;

    i.step = b->count++;
    i.next = NONE;
    if (i.dep != NONE)
        w->instructions[i.dep].awaited = true;
    if (i.step == 0)
        b->first = index;
    else
        w->instructions[b->last].next = index;
    b->last = index;
    w->instructions = mem_grow(w->instructions, w->ninstructions,
                               &w->instructions_capacity,
                               sizeof *w->instructions);
    w->instructions[w->ninstructions++] = i;
}

/* Its own block's order needs no word; all but one of the others take a nop. */
static void
append_with_needs(struct writer *w, struct instruction i)
{
    i.dep = NONE;
    for (size_t k = 0; k < w->nneeded; k++) {
        struct block *b = &w->blocks[w->needed[k]];
        if (w->needed[k] != i.block) {
            if (i.dep != NONE)
                append(w, (struct instruction){
                    .type = "nop", .src = NONE, .dst = NONE, .dep = i.dep,
                    .block = i.block});
            i.dep = b->latest;
        }
        b->latest = NONE;
    }
    w->nneeded = 0;
    append(w, i);
}

static void
add(struct writer *w, int block, const char *type, int src, int dst)
{
    int index;

    if (src != NONE)
        need_writer(w, src);
    if (dst != NONE) {
        need_writer(w, dst);
        for (int r = w->cells[dst].reading; r != NONE; r = w->readings[r].next)
            need(w, w->readings[r].instruction);
    }
    append_with_needs(w, (struct instruction){
        .type = type, .src = src, .dst = dst, .block = block});
    index = (int)w->ninstructions - 1;
    if (src != NONE && src != dst) {
        w->readings = mem_grow(w->readings, w->nreadings,
                               &w->readings_capacity, sizeof *w->readings);
        w->readings[w->nreadings] =
            (struct reading){index, w->cells[src].reading};
        w->cells[src].reading = (int)w->nreadings++;
    }
    if (dst != NONE) {
        w->cells[dst].writer = index;
        w->cells[dst].reading = NONE;
    }
}

static int
local_block(struct writer *w)
{
    return block_for(w, &w->local, NONE, NONE);
}

static struct cell *
cell_at(struct writer *w, int slot)
{
    for (; w->ncells <= (size_t)slot; w->ncells++) {
        w->cells = mem_resize(w->cells, w->ncells + 1, sizeof *w->cells);
        w->cells[w->ncells] = (struct cell){NONE, 0, NONE};
    }
    return &w->cells[slot];
}

/* Copies what a transfer of this step reads here, if the step writes it. */
static void
keep(struct writer *w, int slot, int *copies)
{
    int to = w->s->nslots + *copies;

    if (!w->written[slot] || w->copied[slot] != NONE)
        return;
    cell_at(w, to);
    add(w, local_block(w), "cpy", slot, to);
    w->copied[slot] = to;
    ++*copies;
}

static int
kept(const struct writer *w, int slot)
{
    return w->copied[slot] != NONE ? w->copied[slot] : slot;
}

/* The first half of a step. */
static int
read_only(struct writer *w, const struct transfer *t, size_t count)
{
    int copies = 0;

    for (size_t i = 0; i < count; i++)
        for (int k = 0; t[i].dst == w->rank && k < t[i].nslots; k++)
            w->written[t[i].dst_slot + k] = true;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++) {
            if (t[i].src == w->rank && t[i].dst != w->rank)
                add(w, block_for(w, &w->sends[t[i].dst], t[i].dst, NONE), "s",
                    t[i].src_slot + k, NONE);
            if (t[i].dst != w->rank)
                continue;
            if (t[i].src == w->rank)
                keep(w, t[i].src_slot + k, &copies);
            if (t[i].op == TRANSFER_REDUCE && t[i].add_slot != t[i].dst_slot)
                keep(w, t[i].add_slot + k, &copies);
        }
    return copies;
}

/* A reduction into a slot that this step has written already goes on top. */
static void
write_slot(struct writer *w, const struct transfer *t, int k, int step)
{
    int dst = t->dst_slot + k;
    bool again = w->cells[dst].written == step;
    int summand = again || t->add_slot == t->dst_slot
                      ? dst : kept(w, t->add_slot + k);
    bool adds = t->op == TRANSFER_REDUCE;
    int block;

    if (t->src != w->rank) {
        block = block_for(w, &w->receives[t->src], NONE, t->src);
        add(w, block, adds ? "rrc" : "r", adds ? summand : NONE, dst);
    } else {
        int src = kept(w, t->src_slot + k);
        block = local_block(w);
        if (adds && summand != dst)
            add(w, block, "cpy", summand, dst);
        if (adds || src != dst)
            add(w, block, adds ? "re" : "cpy", src, dst);
    }
    w->cells[dst].written = step;
}

static void
forget(struct writer *w, const struct transfer *t, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int k = 0; t[i].dst == w->rank && k < t[i].nslots; k++) {
            w->written[t[i].dst_slot + k] = false;
            w->copied[t[i].src_slot + k] = NONE;
            w->copied[t[i].add_slot + k] = NONE;
        }
}

static void
lower(struct writer *w)
{
    for (int step = 1; step <= w->s->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(w->s, step, &count);
        int copies = read_only(w, t, count);
        for (size_t i = 0; i < count; i++)
            for (int k = 0; t[i].dst == w->rank && k < t[i].nslots; k++)
                write_slot(w, &t[i], k, step);
        forget(w, t, count);
        if (w->scratch < w->s->scratch + copies)
            w->scratch = w->s->scratch + copies;
    }
}

static void
writer_init(struct writer *w, const struct schedule *s, int rank)
{
    size_t slots = (size_t)s->nslots;

    assert(s->nslots > 0);
    *w = (struct writer){.s = s, .rank = rank, .scratch = s->scratch,
                         .local = NONE};
    w->sends = mem_new((size_t)s->nranks, sizeof *w->sends);
    w->receives = mem_new((size_t)s->nranks, sizeof *w->receives);
    w->copied = mem_new(slots, sizeof *w->copied);
    w->written = mem_new(slots, sizeof *w->written);
    for (int i = 0; i < s->nranks; i++)
        w->sends[i] = w->receives[i] = NONE;
    for (size_t i = 0; i < slots; i++)
        w->copied[i] = NONE;
    cell_at(w, s->nslots - 1);
}

static void
writer_done(struct writer *w)
{
    free(w->instructions);
    free(w->blocks);
    free(w->sends);
    free(w->receives);
    free(w->cells);
    free(w->readings);
    free(w->needed);
    free(w->copied);
    free(w->written);
}

/* Of the longer of input and output. */
static bool
is_output_longer(const struct schedule *s)
{
    return collective_units(s->collective->output, s->nranks) >
           collective_units(s->collective->input, s->nranks);
}

static int
outputs(const struct schedule *s)
{
    return s->pieces * collective_units(s->collective->output, s->nranks);
}

/* In place all is in the longer one; all-reduce's is the input. */
static void
add_chunk(const struct schedule *s, const char *which, int slot,
          struct buf *out)
{
    char buffer = 'i';
    int chunk = slot < 0 ? 0 : slot;

    if (chunk >= schedule_scratch(s)) {
        buffer = 's';
        chunk -= schedule_scratch(s);
    } else if (s->in_place) {
        buffer = is_output_longer(s) ? 'o' : 'i';
    } else if (chunk >= s->nchunks) {
        buffer = 'o';
        chunk -= s->nchunks;
    }
    buf_addf(out, " %sbuf=\"%c\" %soff=\"%d\"", which, buffer, which,
             slot < 0 ? -1 : chunk);
}

static void
add_instruction(const struct writer *w, const struct instruction *i,
                struct buf *out)
{
    bool moves = i->src != NONE || i->dst != NONE;
    const struct instruction *dep =
        i->dep != NONE ? &w->instructions[i->dep] : NULL;

    buf_addf(out, "      <step s=\"%d\" type=\"%s\"", i->step, i->type);
    add_chunk(w->s, "src", i->src == NONE && moves ? i->dst : i->src, out);
    add_chunk(w->s, "dst", i->dst == NONE && moves ? i->src : i->dst, out);
    buf_addf(out, " cnt=\"%d\" depid=\"%d\" deps=\"%d\" hasdep=\"%d\"/>\n",
             moves, dep != NULL ? dep->block : -1,
             dep != NULL ? dep->step : -1, i->awaited);
}

static void
add_gpu(const struct writer *w, struct buf *out)
{
    const struct schedule *s = w->s;
    bool input = !s->in_place || !is_output_longer(s);
    bool output = !s->in_place || is_output_longer(s);

    buf_addf(out, "  <gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" "
             "s_chunks=\"%d\">\n", w->rank, input ? s->nchunks : 0,
             output ? outputs(s) : 0, w->scratch);
    for (size_t b = 0; b < w->nblocks; b++) {
        buf_addf(out, "    <tb id=\"%zu\" send=\"%d\" recv=\"%d\" "
                 "chan=\"0\">\n", b, w->blocks[b].send, w->blocks[b].recv);
        for (int i = w->blocks[b].first; i != NONE;
             i = w->instructions[i].next)
            add_instruction(w, &w->instructions[i], out);
        buf_puts(out, "    </tb>\n");
    }
    buf_puts(out, "  </gpu>\n");
}

void
msccl_write(const struct schedule *s, FILE *file)
{
    const char *coll = s->collective->name;
    struct buf out = {0};

    buf_puts(&out, "<algo name=\"");
    xml_add(&out, s->algorithm);
    buf_addf(&out, "\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"%d\" "
             "ngpus=\"%d\" coll=\"%s\" inplace=\"%d\" outofplace=\"%d\"",
             is_output_longer(s) ? outputs(s) : s->nchunks, s->nranks,
             strcmp(coll, "reduce-scatter") == 0 ? "reduce_scatter" : coll,
             s->in_place, !s->in_place);
    if (collective_rooted(s->collective))
        buf_addf(&out, " root=\"%d\"", s->root);
    buf_puts(&out, ">\n");
    for (int rank = 0; rank < s->nranks; rank++) {
        struct writer w;
        writer_init(&w, s, rank);
        lower(&w);
        add_gpu(&w, &out);
        writer_done(&w);
        fwrite(buf_text(&out), 1, out.length, file);
        buf_clear(&out);
    }
    buf_puts(&out, "</algo>\n");
    fwrite(buf_text(&out), 1, out.length, file);
    buf_done(&out);
}
