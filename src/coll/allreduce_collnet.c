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
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

/* Steps before the switch adds, which are as many as after it has sent. */
static int
direct_before(const struct coll_options *o)
{
    return o->dims[1] > 1;
}

static int
chain_before(const struct coll_options *o)
{
    return o->dims[1] - 1;
}

static int
direct_steps(const struct coll_options *o)
{
    return o->nranks > 1 ? 2 * direct_before(o) + 2 + o->chunks - 1 : 0;
}

static int
chain_steps(const struct coll_options *o)
{
    return o->nranks > 1 ? 2 * chain_before(o) + 2 + o->chunks - 1 : 0;
}

static int
direct_pieces(const struct coll_options *o)
{
    return o->dims[1] * o->chunks;
}

static int
direct_sent(const struct coll_options *o)
{
    return o->nranks > 1 ? (2 * o->dims[1] - 1) * o->chunks : 0;
}

static int
chain_sent(const struct coll_options *o)
{
    return (o->nranks > 1) * (1 + (o->dims[1] > 1)) * o->chunks;
}

static int
direct_ports(const struct coll_options *o)
{
    return o->dims[1];
}

static int
chain_ports(const struct coll_options *o)
{
    (void)o;
    return 2;
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
           int step)
{
    int per = o->dims[1], before = direct_before(o);

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
add_chain(struct schedule *s, const struct coll_options *o, int slot, int step)
{
    int per = o->dims[1], before = chain_before(o);

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

static void
build(struct schedule *s, const struct coll_options *o, bool chain)
{
    int work = work_begin(s);
    int last = chain ? chain_steps(o) : direct_steps(o);
    int half = 1 + (chain ? chain_before(o) : direct_before(o));

    for (int step = 0; step < last; step++) {
        schedule_step(s, step < half                 ? N_("reduce")
                         : step < half + o->chunks - 1
                             ? N_("reduce and broadcast") : N_("broadcast"));
        for (int round = 0; round < o->chunks; round++)
            if (chain)
                add_chain(s, o, work + round, step - round);
            else
                add_direct(s, o, work + round * o->dims[1], step - round);
    }
}

static void
direct_build(struct schedule *s, const struct coll_options *o)
{
    build(s, o, false);
}

static void
chain_build(struct schedule *s, const struct coll_options *o)
{
    build(s, o, true);
}

const struct algorithm allreduce_collnet_direct = {
    .name = N_("collnet-direct"),
    .collective = "allreduce",
    .aliases = {"sharp"},
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .chunks = 1,
    .pieces = direct_pieces,
    .switches = coll_one_step,
    .build = direct_build,
    .steps = direct_steps,
    .sent = direct_sent,
    .ports = direct_ports,
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
    .switches = coll_one_step,
    .build = chain_build,
    .steps = chain_steps,
    .sent = chain_sent,
    .ports = chain_ports,
    .steps_formula = "2Y + C-1",
    .bytes_formula = "2 S",
    .idea = N_("sums go along the GPUs of a node to its first one, and the "
               "network's switch adds up the nodes' sums"),
    .nccl = "CollNetChain",
    .when = N_("nodes with one way to a network whose switches can add: SHARP"),
    .source = "NCCL, src/device/all_reduce.h; Graham et al. 2016",
};
