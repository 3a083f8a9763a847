/* SPDX-License-Identifier: MIT */
#include "coll/lib/work.h"

#include "base/translate.h"
#include "coll/lib/counts.h"

void
move(struct schedule *s, enum transfer_op op, int src, int src_slot, int dst,
     int dst_slot, int nslots)
{
    schedule_add(s, (struct transfer){.src = src,
                                      .dst = dst,
                                      .src_slot = src_slot,
                                      .dst_slot = dst_slot,
                                      .add_slot = dst_slot,
                                      .nslots = nslots,
                                      .op = op});
}

int
work_scratch(const struct coll_options *o, const char *collective, int pieces)
{
    const struct collective *c = collective_find(collective);
    bool shrinks = c->input == UNITS_RANKS && c->output == UNITS_ONE;

    return !o->in_place && shrinks ? o->nranks * pieces : 0;
}

int
work_begin(struct schedule *s)
{
    struct region out = schedule_outputs(s);
    int work = out.count < s->nchunks ? schedule_scratch(s) : out.first;

    if (s->in_place)
        return 0;
    schedule_step(s, N_("copy"));
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region in = schedule_input(s, rank);
        int at = in.count < out.count ? rank * in.count : 0;
        if (in.count > 0)
            move(s, TRANSFER_COPY, rank, in.first, rank, work + at, in.count);
    }
    return work;
}

void
work_end(struct schedule *s, int work)
{
    if (s->in_place || work == schedule_outputs(s).first)
        return;
    schedule_step(s, N_("copy"));
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region out = schedule_output(s, rank);
        move(s, TRANSFER_COPY, rank, work + rank * out.count, rank, out.first,
             out.count);
    }
}

void
work_copy(struct schedule *s, int src, int dst, int slot, int nslots)
{
    move(s, TRANSFER_COPY, src, slot, dst, slot, nslots);
}

void
work_reduce(struct schedule *s, int src, int dst, int slot, int nslots)
{
    move(s, TRANSFER_REDUCE, src, slot, dst, slot, nslots);
}

void
work_chain(struct schedule *s, const struct coll_options *o,
           enum transfer_op op, int before)
{
    int n = o->nranks, work = work_begin(s);

    for (int t = 0; t < coll_chain_steps(o); t++) {
        schedule_step(s, op == TRANSFER_REDUCE ? N_("reduce")
                                               : N_("broadcast"));
        for (int p = 0; p < n - 1; p++)
            if (t - p >= 0 && t - p < o->chunks)
                move(s, op, (before + p + 1) % n, work + t - p,
                     (before + p + 2) % n, work + t - p, 1);
    }
}
