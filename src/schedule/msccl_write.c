/* SPDX-License-Identifier: MIT */
#include "schedule/msccl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schedule/program.h"

/* A thread block as far as it has been written. */
struct block {
    int peer; /* -1: none */
    bool sends;
    int nsteps;
    struct buf text;
};

/* One rank's blocks. */
struct writer {
    const struct schedule *s;
    char letter; /* of the buffer that is both input and output in place */
    struct block *blocks;
    size_t nblocks, capacity;
    int *to, *from; /* by peer: its block + 1, 0: none yet */
    int alone;
    int last_block, last_step; /* what was written last, in any block */
};

static int
block_for(struct writer *w, int *place, int peer, bool sends)
{
    if (*place == 0) {
        w->blocks = mem_grow(w->blocks, w->nblocks, &w->capacity,
                             sizeof *w->blocks);
        w->blocks[w->nblocks++] = (struct block){.peer = peer, .sends = sends};
        *place = (int)w->nblocks;
    }
    return *place - 1;
}

/* Which buffer a slot is in, and where there. */
static char
buffer_of(const struct writer *w, int slot, int *offset)
{
    const struct schedule *s = w->s;

    *offset = slot;
    if (slot >= schedule_scratch(s)) {
        *offset = slot - schedule_scratch(s);
        return 's';
    }
    if (s->in_place)
        return w->letter;
    if (slot < s->nchunks)
        return 'i';
    *offset = slot - s->nchunks;
    return 'o';
}

/* Thread blocks of one rank run on their own: each step but the first waits
 * for the one before it, if that is another block's. */
static void
write_step(struct writer *w, int block, enum msccl_type type, int src, int dst,
           int count)
{
    struct block *b = &w->blocks[block];
    bool waits = w->last_block >= 0 && w->last_block != block;
    int src_offset, dst_offset;
    char from = buffer_of(w, src, &src_offset);
    char to = buffer_of(w, dst, &dst_offset);

    buf_addf(&b->text,
             "      <step s=\"%d\" type=\"%s\" srcbuf=\"%c\" srcoff=\"%d\" "
             "dstbuf=\"%c\" dstoff=\"%d\" cnt=\"%d\" depid=\"%d\" "
             "deps=\"%d\" hasdep=\"1\"/>\n",
             b->nsteps, msccl_type_name(type), from, src_offset, to,
             dst_offset, count, waits ? w->last_block : -1,
             waits ? w->last_step : -1);
    w->last_block = block;
    w->last_step = b->nsteps++;
}

static void
write_send(struct writer *w, const struct send *send)
{
    write_step(w, block_for(w, &w->to[send->peer], send->peer, true),
               MSCCL_SEND, send->src_slot, send->src_slot, send->nslots);
}

static void
write_instr(struct writer *w, int rank, const struct instr *in)
{
    bool reduces = in->op == INSTR_REDUCE;
    int block;

    if (in->op == INSTR_END)
        return;
    if (in->peer != rank) {
        block = block_for(w, &w->from[in->peer], in->peer, false);
        write_step(w, block, reduces ? MSCCL_REDUCE_STORE : MSCCL_RECEIVE,
                   reduces ? in->add_slot : in->dst_slot, in->dst_slot,
                   in->nslots);
        return;
    }
    block = block_for(w, &w->alone, -1, false);
    if (reduces && in->add_slot != in->dst_slot)
        write_step(w, block, MSCCL_COPY, in->add_slot, in->dst_slot,
                   in->nslots);
    write_step(w, block, reduces ? MSCCL_REDUCE : MSCCL_COPY, in->src_slot,
               in->dst_slot, in->nslots);
}

/* Sends leave before the instruction that they name, as they must. */
static void
write_rank(const struct schedule *s, const struct program *p, int rank,
           struct buf *out)
{
    struct writer w = {.s = s, .last_block = -1};
    size_t n = (size_t)s->nranks, send = p->first_send[rank];
    struct region outputs = schedule_outputs(s);
    int output = s->pieces *
                 collective_units(s->collective->output, s->nranks);

    w.letter = output > s->nchunks ? 'o' : 'i';
    w.to = mem_new(n, sizeof *w.to);
    w.from = mem_new(n, sizeof *w.from);
    for (size_t i = p->first[rank]; i < p->first[rank + 1]; i++) {
        for (; send < p->first_send[rank + 1] &&
               p->sends[send].before <= i - p->first[rank]; send++)
            write_send(&w, &p->sends[send]);
        write_instr(&w, rank, &p->instrs[i]);
    }
    buf_addf(out, "  <gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" "
             "s_chunks=\"%d\">\n", rank, s->nchunks,
             s->in_place && w.letter == 'i' ? 0
             : s->in_place                  ? outputs.count
                                            : output,
             p->nslots - schedule_scratch(s));
    for (size_t i = 0; i < w.nblocks; i++) {
        struct block *b = &w.blocks[i];
        buf_addf(out, "    <tb id=\"%zu\" send=\"%d\" recv=\"%d\" "
                 "chan=\"0\">\n", i, b->sends ? b->peer : -1,
                 b->sends ? -1 : b->peer);
        buf_add(out, b->text.data, b->text.length);
        buf_puts(out, "    </tb>\n");
        buf_done(&b->text);
    }
    buf_puts(out, "  </gpu>\n");
    free(w.blocks);
    free(w.to);
    free(w.from);
}

/* MSCCL writes an underscore where we have a hyphen. */
static void
add_name(const char *name, struct buf *out)
{
    for (; *name != '\0'; name++) {
        char c = *name;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                     (c >= '0' && c <= '9');
        buf_putc(out, plain ? c : '_');
    }
}

void
msccl_write(const struct schedule *s, struct buf *out)
{
    struct program *p = program_lower(s);

    buf_puts(out, "<algo name=\"");
    add_name(s->algorithm, out);
    buf_addf(out, "\" proto=\"Simple\" nchannels=\"1\" nchunksperloop=\"%d\" "
             "ngpus=\"%d\" coll=\"", s->pieces *
             (s->collective->input == UNITS_RANKS ||
              s->collective->output == UNITS_RANKS ? s->nranks : 1),
             s->nranks);
    add_name(s->collective->name, out);
    buf_addf(out, "\" inplace=\"%d\" outofplace=\"%d\"", s->in_place,
             !s->in_place);
    if (collective_rooted(s->collective))
        buf_addf(out, " root=\"%d\"", s->root);
    buf_puts(out, ">\n");
    for (int rank = 0; rank < s->nranks; rank++)
        write_rank(s, p, rank, out);
    buf_puts(out, "</algo>\n");
    program_free(p);
}
