/* SPDX-License-Identifier: MIT */
/* Direct all-gather, reduce-scatter and all-to-all.
 *
 * Every rank sends every other what that one needs of it, to all in one step.
 * One step for any N; every rank sends no more than it must, in N-1 messages
 * at once.  Where a rank has only one port, they go one after the other, as in
 * a pairwise exchange; but no message waits for an earlier step.
 *
 * Each rank sends to the one after it first, then to the next, so that no two
 * send to the same rank at the same time.
 *
 * Source: NCCL, src/device/symmetric (kernels that store into, or load from,
 * all peers of a node) and src/ce_coll.cc (the same with copy engines). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

/* Sends the chunk for `to`, if the input has one for every rank.  It goes to
 * the place of `from`, if the output has one for every rank. */
static void
send_share(struct schedule *s, enum transfer_op op, int from, int to)
{
    struct region in = schedule_input(s, from), out = schedule_output(s, to);

    work_move(s, op, from, in.first + (in.count > 1 ? to : 0), to,
              out.first + (out.count > 1 ? from : 0), 1);
}

static void
direct_build(struct schedule *s, const struct coll_options *o)
{
    bool adds = s->collective->reduces;
    int n = o->nranks;

    if (!o->in_place)
        schedule_step(s, N_("copy"));
    for (int rank = 0; rank < n && !o->in_place; rank++)
        send_share(s, TRANSFER_COPY, rank, rank);
    if (n > 1)
        schedule_step(s, s->collective->title);
    for (int k = 1; k < n; k++)
        for (int rank = 0; rank < n; rank++)
            send_share(s, adds ? TRANSFER_REDUCE : TRANSFER_COPY, rank,
                       (rank + k) % n);
}

const struct algorithm allgather_direct = {
    .name = N_("direct"),
    .collective = "allgather",
    .build = direct_build,
    .path = coll_path_others,
    .formulas = {"1", "(N-1) S"},
    .idea = N_("every rank sends its data to all others at once"),
    .when = N_("small data where any two ranks have a link: a single step"),
    .nccl = "AllGather_ST, AllGather_LL, AllGather_TmaST",
    .mpi = "8 direct-messaging",
    .source = "NCCL, src/device/symmetric/all_gather.cuh",
};

const struct algorithm reduce_scatter_direct = {
    .name = N_("direct"),
    .collective = "reduce-scatter",
    .build = direct_build,
    .path = coll_path_others,
    .formulas = {"1", "(N-1)/N S"},
    .idea = N_("every rank sends every other its chunk, to all at once"),
    .when = N_("small data where any two ranks have a link: a single step"),
    .nccl = "ReduceScatter_LD, ReduceScatter_LL, ReduceScatter_TmaLD",
    .source = "NCCL, src/device/symmetric/reduce_scatter.cuh",
};

const struct algorithm alltoall_direct = {
    .name = N_("direct"),
    .collective = "alltoall",
    .build = direct_build,
    .path = coll_path_others,
    .formulas = {"1", "(N-1)/N S"},
    .idea = N_("every rank sends every other its share, to all at once"),
    .when = N_("small data where any two ranks have a link: a single step"),
    .nccl = "AlltoAll",
    .mpi = "1 linear, 4 linear_sync",
    .source = "NCCL, src/ce_coll.cc (ncclCeAlltoAll)",
};
