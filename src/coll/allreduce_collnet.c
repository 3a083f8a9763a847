/* SPDX-License-Identifier: MIT */
/* All-reduce in the network (SHARP): its switch adds what the nodes send, and
 * multicasts the sum.
 *
 * CollNet direct: of X nodes of Y GPUs, GPU i of each node is the head of the
 * i-th part of the data.  Every GPU sends each part to the head in its node,
 * which adds them up and lets the switch add that; the sum comes back from the
 * switch to the heads, and from them to their node.  With the data cut into C
 * rounds, 4 + C-1 steps.  A GPU sends (2Y-1)/Y S; a Y-th of its data leaves the
 * node.
 *
 * CollNet chain: the sum goes along the GPUs of a node to its first one, which
 * alone talks to the switch; the way back is the same: 2Y + C-1 steps.
 *
 * Source: NCCL, src/device/all_reduce.h (RunWorkColl,
 * NCCL_ALGO_COLLNET_DIRECT, NCCL_ALGO_COLLNET_CHAIN), src/graph/connect.cc
 * (connectCollNet); R. Graham et al., "Scalable hierarchical aggregation
 * protocol (SHARP)", COM-HPC 2016. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static int
direct_pieces(const struct coll_options *o)
{
    return o->dims[1] * o->chunks;
}

/* A head lets the switch add a slot, or gets the sum. */
static void
add_head(struct schedule *s, const struct coll_options *o, int head, int slot,
         bool down)
{
    if (down)
        work_copy(s, o->nranks, head, slot, 1);
    else
        work_move(s, head < o->dims[1] ? TRANSFER_COPY : TRANSFER_REDUCE, head,
                  slot, o->nranks, slot, 1);
}

/* Step `step`, from 0, of a round, whose slots begin at `first`. */
static void
add_direct(struct schedule *s, const struct coll_options *o, int first,
           int before, int step)
{
    int per = o->dims[1];

    for (int rank = 0; rank < o->nranks; rank++) {
        int node = rank - rank % per, slot = first + rank % per;
        if (step == before || step == before + 1)
            add_head(s, o, rank, slot, step > before);
        for (int i = 0; i < per; i++)
            if (node + i != rank && step == 0 && before > 0)
                work_reduce(s, rank, node + i, first + i, 1);
            else if (node + i != rank && step == before + 2)
                work_copy(s, rank, node + i, slot, 1);
    }
}

static void
add_chain(struct schedule *s, const struct coll_options *o, int slot,
          int before, int step)
{
    int per = o->dims[1];

    for (int rank = 0; rank < o->nranks; rank++) {
        int place = rank % per;
        if (place == 0 && (step == before || step == before + 1))
            add_head(s, o, rank, slot, step > before);
        else if (place > 0 && step == before - place)
            work_reduce(s, rank, rank - 1, slot, 1);
        else if (place > 0 && step == before + 1 + place)
            work_copy(s, rank - 1, rank, slot, 1);
    }
}

/* A round of a chain is one chunk, that of a direct one a chunk for each GPU of
 * a node; with one GPU they are the same.  As many steps come before the switch
 * adds as after it has sent. */
static void
build(struct schedule *s, const struct coll_options *o)
{
    bool chain = s->pieces == o->chunks;
    int work = work_begin(s), per = o->dims[1];
    int before = chain ? per - 1 : per > 1, half = 1 + before;
    int last = o->nranks > 1 ? 2 * half + o->chunks - 1 : 0;

    for (int step = 0; step < last; step++) {
        schedule_step(s, step < half                 ? N_("reduce")
                         : step < half + o->chunks - 1
                             ? N_("reduce and broadcast") : N_("broadcast"));
        for (int round = 0; round < o->chunks; round++)
            if (chain)
                add_chain(s, o, work + round, before, step - round);
            else
                add_direct(s, o, work + round * per, before, step - round);
    }
}

const struct algorithm allreduce_collnet_direct = {
    .name = N_("collnet-direct"),
    .collective = "allreduce",
    .aliases = {"sharp"},
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .chunks = 1,
    .pieces = direct_pieces,
    .switches = coll_if_others,
    .build = build,
    .steps_formula = "4 + C-1",
    .bytes_formula = "(2Y-1)/Y S",
    .idea = N_("every GPU adds up one part of its node's data, and the "
               "network's switch adds up the nodes' sums"),
    .nccl = "CollNetDirect",
    .when = N_("nodes of GPUs on a network whose switches can add: SHARP"),
    .source = "NCCL, src/device/all_reduce.h; Graham et al. 2016",
};

const struct algorithm allreduce_collnet_chain = {
    .name = N_("collnet-chain"),
    .collective = "allreduce",
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .chunks = 2,
    .pieces = coll_chunks,
    .switches = coll_if_others,
    .build = build,
    .steps_formula = "2Y + C-1",
    .bytes_formula = "2 S",
    .idea = N_("sums go along the GPUs of a node to its first one, and the "
               "network's switch adds up the nodes' sums"),
    .nccl = "CollNetChain",
    .when = N_("nodes with one way to a network whose switches can add: SHARP"),
    .source = "NCCL, src/device/all_reduce.h; Graham et al. 2016",
};
