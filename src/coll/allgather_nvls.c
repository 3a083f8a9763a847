/* SPDX-License-Identifier: MIT */
/* All-gather and reduce-scatter with switches that add and multicast.
 *
 * NVLS: the switch between the GPUs gets every rank's data and multicasts it to
 * all; or it adds up all that it gets, and gives each rank its chunk.  A rank
 * sends its data once, and nothing of others; but of an all-gather it receives
 * N times as much, its own data too.  2 steps.
 *
 * CollNetDirect, for X nodes of Y GPUs: the network's switch multicasts to a
 * rail, the GPUs with the same place in their nodes, and each then sends what
 * its rail has to the others of its node.  Reduce-scatter is the same
 * backwards.  3 steps, or 2 if a node has one GPU.
 *
 * Source: NCCL, src/device/all_gather.h and reduce_scatter.h (RunWorkColl,
 * NCCL_ALGO_NVLS and NCCL_ALGO_COLLNET_DIRECT), src/device/symmetric (kernels
 * with multimem instructions, MC). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

/* A switch's first data is a copy, that of later ranks is added. */
static enum transfer_op
switch_takes(const struct schedule *s, int later)
{
    return s->collective->reduces && later > 0 ? TRANSFER_REDUCE
                                               : TRANSFER_COPY;
}

static void
nvls_half_build(struct schedule *s, const struct coll_options *o)
{
    bool adds = s->collective->reduces;
    int work = work_begin(s), n = o->nranks;

    if (n > 1)
        schedule_step(s, N_("to the switch"));
    for (int rank = 0; rank < n && n > 1; rank++) {
        int slot = work + (adds ? 0 : rank);
        work_move(s, switch_takes(s, rank), rank, slot, n, slot, adds ? n : 1);
    }
    if (n > 1)
        schedule_step(s, N_("from the switch"));
    for (int rank = 0; rank < n && n > 1; rank++)
        work_copy(s, n, rank, work + (adds ? rank : 0), adds ? 1 : n);
    work_end(s, work);
}

/* Every rank sends the others of its node a chunk of each node: those of its
 * own rail, or to add, those of theirs. */
static void
exchange_in_nodes(struct schedule *s, const struct coll_options *o, int work)
{
    bool adds = s->collective->reduces;
    int per = o->dims[1];

    if (per > 1)
        schedule_step(s, adds ? N_("reduce in nodes") : N_("gather in nodes"));
    for (int rank = 0; rank < o->nranks; rank++)
        for (int k = 1; k < per; k++) {
            int to = rank - rank % per + (rank + k) % per;
            int rail = (adds ? to : rank) % per;
            for (int node = 0; node < o->dims[0]; node++)
                work_move(s, adds ? TRANSFER_REDUCE : TRANSFER_COPY, rank,
                          work + node * per + rail, to,
                          work + node * per + rail, 1);
        }
}

/* Every rank sends the network's switch its chunk, or to add, those of its
 * rail; and gets the others. */
static void
cross_switch(struct schedule *s, const struct coll_options *o, int work)
{
    bool adds = s->collective->reduces;
    int per = o->dims[1], n = o->nranks;

    for (int down = 0; down < 2; down++) {
        schedule_step(s, down ? N_("from the switch") : N_("to the switch"));
        for (int rank = 0; rank < n; rank++)
            for (int node = 0; node < o->dims[0]; node++) {
                int slot = node * per + rank % per;
                if (adds == down && slot != rank)
                    continue;
                if (down)
                    work_copy(s, n, rank, work + slot, 1);
                else
                    work_move(s, switch_takes(s, rank / per), rank,
                              work + slot, n, work + slot, 1);
            }
    }
}

static void
collnet_direct_build(struct schedule *s, const struct coll_options *o)
{
    bool adds = s->collective->reduces;
    int work = work_begin(s);

    if (adds)
        exchange_in_nodes(s, o, work);
    if (o->nranks > 1)
        cross_switch(s, o, work);
    if (!adds)
        exchange_in_nodes(s, o, work);
    work_end(s, work);
}

const struct algorithm allgather_nvls = {
    .name = N_("nvls"),
    .collective = "allgather",
    .topology = TOPOLOGY_STAR,
    .switches = coll_if_others,
    .build = nvls_half_build,
    .formulas = {"2", "S"},
    .idea = N_("the switch between the GPUs sends what each one has to all"),
    .nccl = "NVLS, AllGather_STMC, AllGather_LLMC, AllGather_TmaSTMC",
    .when = N_("GPUs on one switch that multicasts: NVLink SHARP"),
    .source = "NCCL, src/device/all_gather.h",
};

const struct algorithm reduce_scatter_nvls = {
    .name = N_("nvls"),
    .collective = "reduce-scatter",
    .topology = TOPOLOGY_STAR,
    .scratch = work_scratch,
    .switches = coll_if_others,
    .build = nvls_half_build,
    .formulas = {"2", "S"},
    .idea = N_("the switch between the GPUs adds up what all send, and gives "
               "each its chunk"),
    .nccl = "NVLS, ReduceScatter_LDMC",
    .when = N_("GPUs on one switch that can add: NVLink SHARP"),
    .source = "NCCL, src/device/reduce_scatter.h",
};

const struct algorithm allgather_collnet_direct = {
    .name = N_("collnet-direct"),
    .collective = "allgather",
    .aliases = {"sharp"},
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .switches = coll_if_others,
    .build = collnet_direct_build,
    .formulas = {"3", "(N-X+1) S"},
    .holds = HOLDS_Y_ABOVE_1,
    .otherwise = {"2", "S"},
    .idea = N_("the network's switch sends a GPU's data to its counterparts, "
               "which pass it on inside their nodes"),
    .nccl = "CollNetDirect",
    .when = N_("nodes of GPUs on a network whose switches multicast: SHARP"),
    .source = "NCCL, src/device/all_gather.h",
};

const struct algorithm reduce_scatter_collnet_direct = {
    .name = N_("collnet-direct"),
    .collective = "reduce-scatter",
    .aliases = {"sharp"},
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .scratch = work_scratch,
    .switches = coll_if_others,
    .build = collnet_direct_build,
    .formulas = {"3", "S"},
    .holds = HOLDS_Y_ABOVE_1,
    .otherwise = {"2", "S"},
    .idea = N_("sums grow inside the nodes, and the network's switch adds up "
               "the nodes' sums"),
    .nccl = "CollNetDirect",
    .when = N_("nodes of GPUs on a network whose switches can add: SHARP"),
    .source = "NCCL, src/device/reduce_scatter.h",
};
