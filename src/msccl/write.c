/* SPDX-License-Identifier: MIT */
/* A schedule as thread blocks.
 *
 * In each step every rank goes through the transfers twice: first instructions
 * that only read, that is, sends, and copies of slots that the step will
 * overwrite before they are used; then those that write, that is, receives and
 * local transfers.  In this order each instruction waits for the last writer of
 * the slots it reads, and for the last writer and all later readers of the
 * slots it writes.  So no wait points forward, except that a send waits for
 * room on its link.  If a link has to carry more chunks in a step than it
 * holds, what the step overwrites is copied before it is sent.  Then no receive
 * waits for a send of its step that waits for room, and there is no deadlock,
 * however much data there is.
 *
 * A transfer of consecutive chunks is one instruction, or several if the
 * runtime allows fewer chunks; both ends are cut in the same places. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "msccl/file.h"

enum { NONE = -1 };

/* Limits of msccl-executor-nccl as built by default: MSCCL_MAX_COUNT and
 * MSCCL_MAX_NUM_THREAD_BLOCKS_PER_CHANNEL in src/include/msccl/msccl_struct.h,
 * MSCCL_MAX_NUM_STEPS in makefiles/common.mk. */
enum {
    RUNTIME_DEPTH = 2,  /* messages that a link holds, if they are large */
    RUNTIME_COUNT = 71, /* chunks per instruction */
    RUNTIME_PEERS = 32, /* per GPU, channel and direction */
    RUNTIME_STEPS = 64, /* per thread block */
};

struct instruction {
    const char *type;
    int src, dst; /* first slots; NONE: not used */
    int count;    /* slots */
    int dep;      /* instruction of the rank that it waits for, or NONE */
    int block, step;
    int next; /* instruction of the same block, or NONE */
    bool awaited; /* another instruction waits for it */
};

struct block {
    int send, recv; /* peers, or NONE */
    int first, last, count; /* instructions */
    int latest;     /* of an instruction's dependencies, or NONE */
};

/* The users of a slot; its readers are a list in `readings`. */
struct cell {
    int writer;  /* instruction, or NONE */
    int written; /* the step of the schedule in which it wrote */
    int reading;
};
struct reading {
    int instruction, next;
};

/* The size of the output so far. */
struct size {
    size_t blocks, steps, moved, bytes;
    int longest; /* most steps in a block */
    int peers;   /* most peers that a GPU sends to or receives from */
    int scratch; /* most slots in a GPU's scratch */
};

/* The program of one rank. */
struct writer {
    const struct schedule *s;
    const bool *whole; /* by transfer: mark_whole() */
    int rank;
    int scratch; /* slots, including those for copies */
    struct instruction *instructions;
    size_t ninstructions, instructions_capacity;
    struct block *blocks;
    size_t nblocks, blocks_capacity;
    int *sends, *receives; /* by peer: block, or NONE */
    int local;             /* block, or NONE */
    struct cell *cells;
    int ncells;
    struct reading *readings;
    size_t nreadings, readings_capacity;
    int *needed; /* the blocks whose `latest` is set */
    size_t nneeded, needed_capacity;
    int *carried; /* by peer: the chunks that this step sends to it */
    int *copied; /* by slot: where its copy is in this step, or NONE */
    bool *written; /* by slot: another transfer of this step writes it */
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
need_instruction(struct writer *w, int instruction)
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
        need_instruction(w, w->cells[slot].writer);
}

static void
append_instruction(struct writer *w, struct instruction i)
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

/* The order within a block needs no dependency.  All other dependencies but one
 * need a nop. */
static void
append_with_needs(struct writer *w, struct instruction i)
{
    i.dep = NONE;
    for (size_t k = 0; k < w->nneeded; k++) {
        struct block *b = &w->blocks[w->needed[k]];
        if (w->needed[k] != i.block) {
            if (i.dep != NONE)
                append_instruction(w, (struct instruction){
                    .type = "nop", .src = NONE, .dst = NONE, .dep = i.dep,
                    .block = i.block});
            i.dep = b->latest;
        }
        b->latest = NONE;
    }
    w->nneeded = 0;
    append_instruction(w, i);
}

/* Adds an instruction, which waits for the writers of the slots it uses, and
 * for the readers of those it writes. */
static void
add_ordered(struct writer *w, struct instruction i)
{
    int index;

    for (int k = 0; k < i.count; k++) {
        if (i.src != NONE)
            need_writer(w, i.src + k);
        if (i.dst == NONE)
            continue;
        need_writer(w, i.dst + k);
        for (int r = w->cells[i.dst + k].reading; r != NONE;
             r = w->readings[r].next)
            need_instruction(w, w->readings[r].instruction);
    }
    append_with_needs(w, i);
    index = (int)w->ninstructions - 1;
    for (int k = 0; k < i.count; k++) {
        if (i.src != NONE && i.src != i.dst) {
            int *first = &w->cells[i.src + k].reading;
            w->readings = mem_grow(w->readings, w->nreadings,
                                   &w->readings_capacity, sizeof *w->readings);
            w->readings[w->nreadings] = (struct reading){index, *first};
            *first = (int)w->nreadings++;
        }
        if (i.dst != NONE)
            w->cells[i.dst + k] = (struct cell){
                index, w->cells[i.dst + k].written, NONE};
    }
}

static int
local_block(struct writer *w)
{
    return block_for(w, &w->local, NONE, NONE);
}

static void
reserve_cells(struct writer *w, int slots)
{
    if (slots <= w->ncells)
        return;
    w->cells = mem_resize(w->cells, (size_t)slots, sizeof *w->cells);
    for (; w->ncells < slots; w->ncells++)
        w->cells[w->ncells] = (struct cell){NONE, 0, NONE};
}

/* The number of slots from this one on, at most `count`, that one instruction
 * may use: those in the same buffer. */
static int
in_buffer(const struct schedule *s, int slot, int count)
{
    int end = slot + RUNTIME_COUNT;

    if (slot < s->nchunks && !s->in_place && end > s->nchunks)
        end = s->nchunks;
    if (slot < schedule_scratch(s) && end > schedule_scratch(s))
        end = schedule_scratch(s);
    return end - slot < count ? end - slot : count;
}

/* Copies slots to scratch; returns the first one there. */
static int
copy_to_scratch(struct writer *w, int slot, int count, int *copies)
{
    int to = w->s->nslots + *copies;

    reserve_cells(w, to + count);
    add_ordered(w, (struct instruction){.type = "cpy", .src = slot, .dst = to,
                                        .count = count,
                                        .block = local_block(w)});
    *copies += count;
    return to;
}

/* Copies the slots that a transfer of this step reads, if the step writes them
 * and they have no copy yet. */
static void
keep_sources(struct writer *w, int slot, int count, int *copies)
{
    for (int end = slot + count, n; slot < end; slot += n > 0 ? n : 1) {
        int length = in_buffer(w->s, slot, end - slot), to;
        for (n = 0; n < length && w->written[slot + n] &&
                    w->copied[slot + n] == NONE; n++)
            ;
        to = n > 0 ? copy_to_scratch(w, slot, n, copies) : NONE;
        for (int k = 0; k < n; k++)
            w->copied[slot + k] = to + k;
    }
}

static int
kept_slot(const struct writer *w, int slot)
{
    return w->copied[slot] != NONE ? w->copied[slot] : slot;
}

/* The number of chunks that one instruction can move at either end, from chunk
 * k of the transfer on. */
static int
run_length(const struct writer *w, const struct transfer *t, int k)
{
    int count = t->nslots - k;

    if (!w->whole[t - w->s->transfers])
        return 1;
    count = in_buffer(w->s, t->src_slot + k, count);
    count = in_buffer(w->s, t->dst_slot + k, count);
    return in_buffer(w->s, t->add_slot + k, count);
}

static bool
writes_any(const struct writer *w, int slot, int count)
{
    for (int k = 0; k < count; k++)
        if (w->written[slot + k])
            return true;
    return false;
}

static void
write_send(struct writer *w, const struct transfer *t, int *copies)
{
    int block = block_for(w, &w->sends[t->dst], t->dst, NONE);
    bool crowded = w->carried[t->dst] > RUNTIME_DEPTH;

    for (int k = 0, n; k < t->nslots; k += n) {
        int src = t->src_slot + k;
        n = run_length(w, t, k);
        if (crowded && writes_any(w, src, n))
            src = copy_to_scratch(w, src, n, copies);
        add_ordered(w, (struct instruction){
            .type = "s", .src = src, .dst = NONE, .count = n, .block = block});
    }
}

/* The first half of a step. */
static int
write_reads(struct writer *w, const struct transfer *t, size_t count)
{
    int copies = 0;

    for (size_t i = 0; i < count; i++) {
        if (t[i].src == w->rank)
            w->carried[t[i].dst] += t[i].nslots;
        for (int k = 0; t[i].dst == w->rank && k < t[i].nslots; k++)
            w->written[t[i].dst_slot + k] = true;
    }
    for (size_t i = 0; i < count; i++) {
        if (t[i].src == w->rank && t[i].dst != w->rank)
            write_send(w, &t[i], &copies);
        if (t[i].dst != w->rank)
            continue;
        if (t[i].src == w->rank)
            keep_sources(w, t[i].src_slot, t[i].nslots, &copies);
        if (t[i].op == TRANSFER_REDUCE && t[i].add_slot != t[i].dst_slot)
            keep_sources(w, t[i].add_slot, t[i].nslots, &copies);
    }
    return copies;
}

/* The operand of a reduction: the slot itself if this step has written it
 * already, else the operand that the transfer names. */
static int
summand_of(const struct writer *w, const struct transfer *t, int k, int step)
{
    int dst = t->dst_slot + k;
    bool again = w->cells[dst].written == step;

    return again || t->add_slot == t->dst_slot ? dst
                                               : kept_slot(w, t->add_slot + k);
}

static void
write_receive(struct writer *w, const struct transfer *t, int step)
{
    int block = block_for(w, &w->receives[t->src], NONE, t->src);
    bool adds = t->op == TRANSFER_REDUCE;

    for (int k = 0, n; k < t->nslots; k += n) {
        n = run_length(w, t, k);
        add_ordered(w, (struct instruction){
            .type = adds ? "rrc" : "r",
            .src = adds ? summand_of(w, t, k, step) : NONE,
            .dst = t->dst_slot + k, .count = n, .block = block});
    }
}

/* The number of consecutive chunks whose sources are also consecutive.
 * Additions are made one by one: the runtime fuses those that begin at the same
 * chunk into one step, and then they must have the same length. */
static int
local_run(const struct writer *w, const struct transfer *t, int k)
{
    int src = kept_slot(w, t->src_slot + k), n = 1;
    int count = in_buffer(w->s, t->dst_slot + k, t->nslots - k);

    if (t->op == TRANSFER_REDUCE)
        return 1;
    count = in_buffer(w->s, src, count);
    while (n < count && kept_slot(w, t->src_slot + k + n) == src + n)
        n++;
    return n;
}

static void
write_local(struct writer *w, const struct transfer *t, int step)
{
    int block = local_block(w);

    for (int k = 0, n; k < t->nslots; k += n) {
        int src = kept_slot(w, t->src_slot + k), dst = t->dst_slot + k;
        int summand = summand_of(w, t, k, step);
        bool adds = t->op == TRANSFER_REDUCE;
        n = local_run(w, t, k);
        if (adds && summand != dst)
            add_ordered(w, (struct instruction){
                .type = "cpy", .src = summand, .dst = dst, .count = n,
                .block = block});
        if (adds || src != dst)
            add_ordered(w, (struct instruction){
                .type = adds ? "re" : "cpy", .src = src, .dst = dst, .count = n,
                .block = block});
    }
}

static void
forget_step(struct writer *w, const struct transfer *t, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (t[i].src == w->rank)
            w->carried[t[i].dst] = 0;
        for (int k = 0; t[i].dst == w->rank && k < t[i].nslots; k++) {
            w->written[t[i].dst_slot + k] = false;
            w->copied[t[i].src_slot + k] = NONE;
            w->copied[t[i].add_slot + k] = NONE;
        }
    }
}

/* A reduction into a slot that a step has written already adds to it. */
static void
write_steps(struct writer *w)
{
    for (int step = 1; step <= w->s->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(w->s, step, &count);
        int copies = write_reads(w, t, count);
        for (size_t i = 0; i < count; i++) {
            if (t[i].dst != w->rank)
                continue;
            if (t[i].src != w->rank)
                write_receive(w, &t[i], step);
            else
                write_local(w, &t[i], step);
            for (int k = 0; k < t[i].nslots; k++)
                w->cells[t[i].dst_slot + k].written = step;
        }
        forget_step(w, t, count);
        if (w->scratch < w->s->scratch + copies)
            w->scratch = w->s->scratch + copies;
    }
}

static void
writer_init(struct writer *w, const struct schedule *s, const bool *whole,
            int rank)
{
    size_t slots = (size_t)s->nslots;

    assert(s->nslots > 0);
    *w = (struct writer){.s = s, .whole = whole, .rank = rank,
                         .scratch = s->scratch, .local = NONE};
    w->sends = mem_new((size_t)s->nranks, sizeof *w->sends);
    w->receives = mem_new((size_t)s->nranks, sizeof *w->receives);
    w->carried = mem_new((size_t)s->nranks, sizeof *w->carried);
    w->copied = mem_new(slots, sizeof *w->copied);
    w->written = mem_new(slots, sizeof *w->written);
    for (int i = 0; i < s->nranks; i++)
        w->sends[i] = w->receives[i] = NONE;
    for (size_t i = 0; i < slots; i++)
        w->copied[i] = NONE;
    reserve_cells(w, s->nslots);
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
    free(w->carried);
    free(w->copied);
    free(w->written);
}

/* In place everything is in the longer buffer, or else the input. */
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
        buffer = s->noutputs > s->nchunks ? 'o' : 'i';
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
             i->count, dep != NULL ? dep->block : -1,
             dep != NULL ? dep->step : -1, i->awaited);
}

static void
add_gpu(const struct writer *w, struct buf *out)
{
    const struct schedule *s = w->s;
    bool input = !s->in_place || s->noutputs <= s->nchunks;
    bool output = !s->in_place || s->noutputs > s->nchunks;

    buf_addf(out, "  <gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" "
             "s_chunks=\"%d\">\n", w->rank, input ? s->nchunks : 0,
             output ? s->noutputs : 0, w->scratch);
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

static void
measure_size(const struct writer *w, struct size *z)
{
    int sends = 0, receives = 0;

    for (size_t b = 0; b < w->nblocks; b++) {
        sends += w->blocks[b].send != NONE;
        receives += w->blocks[b].recv != NONE;
        z->longest = most(z->longest, w->blocks[b].count);
    }
    for (size_t i = 0; i < w->ninstructions; i++)
        z->moved += (size_t)w->instructions[i].count;
    z->blocks += w->nblocks;
    z->steps += w->ninstructions;
    z->peers = most(z->peers, most(sends, receives));
    z->scratch = most(z->scratch, w->scratch);
}

/* Names the first limit that is exceeded: ours first, then MSCCL's. */
static void
warn_of_limits(const struct schedule *s, const struct size *z,
               struct err *warning)
{
    const char *ours = "collviz reads back";
    const char *theirs = "MSCCL's runtime, as built by default, takes";
    int longer = most(s->nchunks, s->noutputs);
    const struct {
        size_t value;
        const char *of, *who;
        size_t most;
    } limits[] = {
        {z->bytes, "bytes", ours, MSCCL_BYTES_MAX},
        {z->blocks, "thread blocks", ours, MSCCL_BLOCKS_MAX},
        {z->steps, "steps", ours, MSCCL_STEPS_MAX},
        {z->moved, "chunks to move", ours, MSCCL_MOVED_MAX},
        {(2 * (size_t)longer + (size_t)z->scratch) * (size_t)s->nranks,
         "chunks in buffers", ours, MSCCL_CELLS_MAX},
        {(size_t)z->longest, "steps in a thread block", theirs, RUNTIME_STEPS},
        {(size_t)z->peers, "peers of a GPU", theirs, RUNTIME_PEERS},
    };

    warning->text[0] = '\0';
    for (size_t i = sizeof limits / sizeof limits[0]; i-- > 0;)
        if (limits[i].value > limits[i].most)
            err_set(warning, "this file has %zu %s, and %s at most %zu",
                    limits[i].value, limits[i].of, limits[i].who,
                    limits[i].most);
}

/* By transfer: whether consecutive slots of it can be moved at once.  A
 * reduction whose operand is elsewhere cannot, if this step writes the operand,
 * or writes the destination more than once. */
static void
mark_whole(const struct schedule *s, const struct step *p, int *writers,
           bool *whole)
{
    const struct transfer *t;

    if (p->count == 0)
        return;
    t = &s->transfers[p->first];
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < t[i].nslots; k++)
            writers[t[i].dst * s->nslots + t[i].dst_slot + k]++;
    for (size_t i = 0; i < p->count; i++) {
        const int *of = writers + t[i].dst * s->nslots;
        whole[p->first + i] = true;
        if (t[i].op == TRANSFER_COPY || t[i].add_slot == t[i].dst_slot)
            continue;
        for (int k = 0; k < t[i].nslots; k++)
            if (of[t[i].add_slot + k] > 0 || of[t[i].dst_slot + k] > 1)
                whole[p->first + i] = false;
    }
    for (size_t i = 0; i < p->count; i++)
        for (int k = 0; k < t[i].nslots; k++)
            writers[t[i].dst * s->nslots + t[i].dst_slot + k] = 0;
}

static bool *
whole_transfers(const struct schedule *s)
{
    bool *whole = mem_new(s->ntransfers, sizeof *whole);
    OWN_MEMORY int *writers =
        mem_new(schedule_cell(s, s->nranks, 0), sizeof *writers);

    for (int step = 0; step < s->nsteps; step++)
        mark_whole(s, &s->steps[step], writers, whole);
    return whole;
}

static void
add_algo(const struct schedule *s, struct buf *out)
{
    buf_puts(out, "<algo name=\"");
    utf8_add_xml(out, s->algorithm);
    buf_addf(out, "\" proto=\"Simple\" nchannels=\"1\" "
             "nchunksperloop=\"%d\" ngpus=\"%d\" coll=\"%s\" "
             "inplace=\"%d\" outofplace=\"%d\" minBytes=\"0\" "
             "maxBytes=\"0\"",
             most(s->nchunks, s->noutputs), s->nranks,
             msccl_collective_name(s->collective),
             s->in_place, !s->in_place);
    if (collective_rooted(s->collective))
        buf_addf(out, " root=\"%d\"", s->root);
    buf_puts(out, ">\n");
}

static void
flush_program(struct buf *out, FILE *file, struct size *z)
{
    fwrite(buf_text(out), 1, out->length, file);
    z->bytes += out->length;
    buf_clear(out);
}

void
msccl_write(const struct schedule *s, FILE *file, struct err *warning)
{
    OWN_MEMORY bool *whole = whole_transfers(s);
    OWN(buf) out = {0};
    struct size z = {0};

    add_algo(s, &out);
    for (int rank = 0; rank < s->nranks; rank++) {
        struct writer w;
        writer_init(&w, s, whole, rank);
        write_steps(&w);
        add_gpu(&w, &out);
        measure_size(&w, &z);
        writer_done(&w);
        flush_program(&out, file, &z);
    }
    buf_puts(&out, "</algo>\n");
    flush_program(&out, file, &z);
    warn_of_limits(s, &z, warning);
}
