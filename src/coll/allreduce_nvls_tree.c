/* SPDX-License-Identifier: MIT */
/* NVLS tree: the switch of each node adds and multicasts, trees join the nodes.
 *
 * Of X nodes of Y GPUs, GPU i of each node is the head of the i-th part of the
 * data.  It takes the sum of its node's part from the node's switch, sends it
 * up and down two trees over the heads of that part in all nodes (half of it on
 * each, as allreduce_tree.c does), and gives the whole sum back to the switch,
 * which sends it to all GPUs of the node.  C rounds follow one another: 4 +
 * 2 depth + C-1 steps.  Only a Y-th of the data of each GPU goes over the slow
 * links between nodes, and inside them each sends its data but once.
 *
 * Source: NCCL, src/device/all_reduce.h (RunWorkColl, NCCL_ALGO_NVLS_TREE),
 * src/graph/connect.cc (connectNvls). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"
#include "coll/lib/trees.h"

static int
nodes_if_others(const struct coll_options *o)
{
    return o->nranks > 1 ? o->dims[0] : 0;
}

/* A half of each part, in each round. */
static int
pieces(const struct coll_options *o)
{
    return 2 * o->dims[1] * o->chunks;
}

/* Adds what a node does in step `step`, from 0, of the round whose first slot
 * is given. */
static void
add_node(struct schedule *s, const struct coll_options *o,
         const struct tree *trees, int node, int first, int step)
{
    int per = o->dims[1], hub = o->nranks + node, top = trees[0].top;

    for (int i = 0; i < per; i++) {
        int rank = node * per + i, part = first + 2 * i;
        if (step == 0)
            work_move(s, i == 0 ? TRANSFER_COPY : TRANSFER_REDUCE, rank, first,
                      hub, first, 2 * per);
        else if (step == 1)
            work_copy(s, hub, rank, part, 2);
        else if (step == 2 + 2 * top)
            work_copy(s, rank, hub, part, 2);
        else if (step == 3 + 2 * top)
            work_copy(s, hub, rank, first, 2 * per);
        for (int k = 0; k < 2; k++) {
            const struct tree *t = &trees[k];
            int parent = t->parent[node] * per + i;
            if (t->parent[node] < 0)
                continue;
            if (step == 2 + t->height[node])
                work_reduce(s, rank, parent, part + k, 1);
            if (step == 2 + top + t->depth[t->parent[node]])
                work_copy(s, parent, rank, part + k, 1);
        }
    }
}

static void
build(struct schedule *s, const struct coll_options *o)
{
    struct tree trees[2] = {tree_of(o->dims[0], 0), tree_of(o->dims[0], 1)};
    int work = work_begin(s), half = 2 + trees[0].top;
    int last = o->nranks > 1 ? 2 * half + o->chunks - 1 : 0;

    for (int step = 0; step < last; step++) {
        schedule_step(s, step < half                 ? N_("reduce")
                         : step < half + o->chunks - 1
                             ? N_("reduce and broadcast") : N_("broadcast"));
        for (int round = 0; round < o->chunks; round++)
            for (int node = 0; node < o->dims[0]; node++)
                add_node(s, o, trees, node, work + 2 * o->dims[1] * round,
                         step - round);
    }
    tree_done(&trees[0]);
    tree_done(&trees[1]);
}

const struct algorithm allreduce_nvls_tree = {
    .name = N_("nvls-tree"),
    .collective = "allreduce",
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .chunks = 1,
    .pieces = pieces,
    .switches = nodes_if_others,
    .build = build,
    .steps_formula = "4 + 2 depth + C-1",
    .bytes_formula = "(Y+3)/Y S",
    .idea = N_("the switch of each node adds and sends to all; two trees join "
               "the nodes for every part of the data"),
    .nccl = "NVLSTree",
    .when = N_("nodes of GPUs on switches that can add: NVLink SHARP"),
    .source = "NCCL, src/device/all_reduce.h, src/graph/connect.cc",
};
