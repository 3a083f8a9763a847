/* SPDX-License-Identifier: MIT */
#include "coll/lib/parts.h"

#include "base/translate.h"

int
coll_ranks(const struct coll_options *o)
{
    return o->nranks;
}

int
coll_chunks(const struct coll_options *o)
{
    return o->chunks;
}

int
coll_if_others(const struct coll_options *o)
{
    return o->nranks > 1;
}

int
coll_ranks_if_others(const struct coll_options *o)
{
    return o->nranks > 1 ? o->nranks : 0;
}

struct path
coll_path_others(const struct coll_options *o)
{
    double others = o->nranks - 1;

    return (struct path){others, others, others};
}

struct path
coll_path_twice_others(const struct coll_options *o)
{
    double others = o->nranks - 1;

    return (struct path){2 * others, 2 * others, others};
}

struct path
coll_path_doubling(const struct coll_options *o)
{
    double others = o->nranks - 1;

    return (struct path){log2_ceil(o->nranks), others, others};
}

void
work_move(struct schedule *s, enum transfer_op op, int src, int src_slot,
          int dst, int dst_slot, int nslots)
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
work_scratch(const struct coll_options *o)
{
    return o->in_place ? 0 : o->nranks;
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
            work_move(s, TRANSFER_COPY, rank, in.first, rank, work + at,
                      in.count);
    }
    return work;
}

void
work_end(struct schedule *s, int work)
{
    if (s->in_place || work == schedule_outputs(s).first)
        return;
    schedule_step(s, N_("copy"));
    for (int rank = 0; rank < schedule_members(s); rank++) {
        struct region out = schedule_output(s, rank);
        work_move(s, TRANSFER_COPY, rank, work + rank * out.count, rank,
                  out.first, out.count);
    }
}

void
work_copy(struct schedule *s, int src, int dst, int slot, int nslots)
{
    work_move(s, TRANSFER_COPY, src, slot, dst, slot, nslots);
}

void
work_reduce(struct schedule *s, int src, int dst, int slot, int nslots)
{
    work_move(s, TRANSFER_REDUCE, src, slot, dst, slot, nslots);
}
