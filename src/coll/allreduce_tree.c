/* SPDX-License-Identifier: MIT */
/* All-reduces on NCCL's binary trees, and with switches that add for nodes:
 * sums go up and come down again, in rounds that follow one another.
 *
 * Tree: sums go up to rank 0 and come down again, cut into C chunks.  A rank
 * at height h (leaves: 0) sends chunk c to its parent in step h + c, after its
 * children have sent it theirs.  In step H + c, H the root's height, the root
 * sends the whole sum down, and a rank at depth d in step H + d + c: so the
 * sums of the first chunks come down while the last chunks go up.  2H + C-1
 * steps, about 2 log2 N + C-1; an inner rank sends the data up to three times.
 * Wins for small data on many ranks.
 *
 * The double tree is two trees over the same ranks, each with half of the
 * data, cut into C chunks.  A rank that is an inner node of one is usually a
 * leaf of the other, so that no link is idle, and no rank sends more than about
 * twice its data.  Both have the same height, because one is the other's mirror
 * image or shifted.  Wins for large data on many ranks, where a ring's 2(N-1)
 * steps are too many.
 *
 * NVLS tree: of X nodes of Y GPUs, GPU i of each node is the head of the i-th
 * part of the data.  It takes the sum of its node's part from the node's
 * switch, sends it up and down two trees over the heads of that part in all
 * nodes, half of it on each, and gives the whole sum back to the switch, which
 * sends it to all GPUs of the node: 4 + 2 depth + C-1 steps.  Only a Y-th of
 * the data of each GPU goes over the slow links between nodes, and inside them
 * each sends its data but once.
 *
 * CollNet direct (SHARP): every GPU sends each part to its head in the node,
 * which adds them up and lets the network's switch add that; the sum comes back
 * from the switch to the heads, and from them to their node.  4 + C-1 steps.  A
 * GPU sends (2Y-1)/Y S; a Y-th of its data leaves the node.
 *
 * CollNet chain: the sum goes along the GPUs of a node to its first one,
 * which alone talks to the switch; the way back is the same: 2Y + C-1 steps.
 *
 * Source: NCCL, src/graph/trees.cc (ncclGetBtree, ncclGetDtree),
 * src/device/all_reduce.h (runTreeSplit; RunWorkColl, NCCL_ALGO_NVLS_TREE,
 * NCCL_ALGO_COLLNET_DIRECT, NCCL_ALGO_COLLNET_CHAIN), src/graph/connect.cc
 * (connectNvls, connectCollNet); P. Sanders, J. Speck, J. L. Traeff, "Two-tree
 * algorithms for full bandwidth broadcast, reduction and scan", Parallel
 * Computing 35 (2009); R. Graham et al., "Scalable hierarchical aggregation
 * protocol (SHARP)", COM-HPC 2016. */
#include <stdlib.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

struct tree {
    int *parent; /* by rank; -1: the root */
    int *depth, *height; /* by rank */
    int top; /* the root's height */
};

/* Tree 0 or 1 (topology_trees_parent). */
static struct tree
tree_over(int nranks, int index)
{
    size_t n = (size_t)nranks;
    struct tree t = {mem_new(n, sizeof(int)), mem_new(n, sizeof(int)),
                     mem_new(n, sizeof(int)), 0};

    for (int rank = 0; rank < nranks; rank++)
        t.parent[rank] = topology_trees_parent(nranks, index, rank);
    for (int rank = 0; rank < nranks; rank++) {
        for (int at = rank; t.parent[at] >= 0; at = t.parent[at]) {
            int *above = &t.height[t.parent[at]];
            *above = most(*above, ++t.depth[rank]);
        }
        t.top = most(t.top, t.depth[rank]);
    }
    return t;
}

static void
tree_done(struct tree *t)
{
    free(t->parent);
    free(t->depth);
    free(t->height);
}

/* Opens step `step`, from 0, of C rounds, each of which begins a step after the
 * one before, reduces for `half` steps, and broadcasts for as many.  Returns
 * false after the last one. */
static bool
begin_round_step(struct schedule *s, const struct coll_options *o, int half,
                 int step)
{
    if (o->nranks == 1 || step == 2 * half + o->chunks - 1)
        return false;
    schedule_step(s, step < half                   ? N_("reduce")
                     : step < half + o->chunks - 1 ? N_("reduce and broadcast")
                                                   : N_("broadcast"));
    return true;
}

static void
move_chunk(struct schedule *s, const struct coll_options *o, int slot,
           enum transfer_op op, int src, int dst, int chunk)
{
    if (chunk >= 0 && chunk < o->chunks)
        work_move(s, op, src, slot + chunk, dst, slot + chunk, 1);
}

/* Adds the transfers of step `step`, from 0, with chunks from `slot` on. */
static void
add_tree_step(struct schedule *s, const struct coll_options *o,
              const struct tree *t, int slot, int step)
{
    for (int rank = 0; rank < o->nranks; rank++) {
        int parent = t->parent[rank];
        if (parent < 0)
            continue;
        move_chunk(s, o, slot, TRANSFER_REDUCE, rank, parent,
                   step - t->height[rank]);
        move_chunk(s, o, slot, TRANSFER_COPY, parent, rank,
                   step - t->top - t->depth[parent]);
    }
}

static void
trees_build(struct schedule *s, const struct coll_options *o)
{
    int trees = s->topology.kind == TOPOLOGY_TREES ? 2 : 1;
    struct tree t[2] = {tree_over(o->nranks, 0), tree_over(o->nranks, 1)};
    int work = work_begin(s);

    for (int step = 0; begin_round_step(s, o, t[0].top, step); step++)
        for (int i = 0; i < trees; i++)
            add_tree_step(s, o, &t[i], work + i * o->chunks, step);
    tree_done(&t[0]);
    tree_done(&t[1]);
}

static int
double_tree_pieces(const struct coll_options *o)
{
    return 2 * o->chunks;
}

static int
nvls_tree_switches(const struct coll_options *o)
{
    return o->nranks > 1 ? o->dims[0] : 0;
}

/* A half of each part, in each round. */
static int
nvls_tree_pieces(const struct coll_options *o)
{
    return 2 * o->dims[1] * o->chunks;
}

/* Adds what a node does in step `step`, from 0, of the round whose first slot
 * is given. */
static void
add_nvls_node(struct schedule *s, const struct coll_options *o,
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
nvls_tree_build(struct schedule *s, const struct coll_options *o)
{
    struct tree trees[2] = {tree_over(o->dims[0], 0), tree_over(o->dims[0], 1)};
    int work = work_begin(s);

    for (int step = 0; begin_round_step(s, o, 2 + trees[0].top, step); step++)
        for (int round = 0; round < o->chunks; round++)
            for (int node = 0; node < o->dims[0]; node++)
                add_nvls_node(s, o, trees, node, work + 2 * o->dims[1] * round,
                              step - round);
    tree_done(&trees[0]);
    tree_done(&trees[1]);
}

static int
collnet_direct_pieces(const struct coll_options *o)
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

/* Step `step`, from 0, of a round, whose slots begin at `first`.  GPUs send to
 * the one after them first, so that no two send to the same one at a time. */
static void
add_collnet_direct(struct schedule *s, const struct coll_options *o, int first,
                   int before, int step)
{
    int per = o->dims[1];

    for (int rank = 0; rank < o->nranks; rank++) {
        int place = rank % per, node = rank - place, slot = first + place;
        if (step == before || step == before + 1)
            add_head(s, o, rank, slot, step > before);
        for (int k = 1; k < per; k++) {
            int to = (place + k) % per;
            if (step == 0 && before > 0)
                work_reduce(s, rank, node + to, first + to, 1);
            else if (step == before + 2)
                work_copy(s, rank, node + to, slot, 1);
        }
    }
}

static void
add_collnet_chain(struct schedule *s, const struct coll_options *o, int slot,
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
collnet_build(struct schedule *s, const struct coll_options *o)
{
    bool chain = s->pieces == o->chunks;
    int work = work_begin(s), per = o->dims[1];
    int before = chain ? per - 1 : per > 1;

    for (int step = 0; begin_round_step(s, o, 1 + before, step); step++)
        for (int round = 0; round < o->chunks; round++)
            if (chain)
                add_collnet_chain(s, o, work + round, before, step - round);
            else
                add_collnet_direct(s, o, work + round * per, before,
                                   step - round);
}

const struct algorithm allreduce_tree = {
    .name = N_("tree"),
    .collective = "allreduce",
    .topology = TOPOLOGY_TREE,
    .chunks = 4,
    .pieces = coll_chunks,
    .build = trees_build,
    /* A doubling makes the tree one deeper, and its busiest rank has two
     * children and a parent from 8 ranks on. */
    .steady = 8,
    .formulas = {"2 ceil(log2 N) + C-1", "min(N-1, 3) S"},
    .idea = N_("sums go up a binary tree and come down again, chunk after "
               "chunk"),
    .when = N_("small data on many ranks"),
    .source = "NCCL, src/graph/trees.cc",
};

const struct algorithm allreduce_double_tree = {
    .name = N_("double-tree"),
    .collective = "allreduce",
    .aliases = {"dbtree", "double-binary-tree"},
    .topology = TOPOLOGY_TREES,
    .chunks = 2,
    .pieces = double_tree_pieces,
    .build = trees_build,
    /* Holds to 8 % of the time, because the two trees share ports. */
    .steady = 48,
    .formulas = {"2 ceil(log2 N) + C-1", "min(N, 4)/2 S"},
    .idea = N_("two trees with half of the data each: inside of one, a leaf "
               "of the other"),
    .when = N_("large data on many ranks, where a ring has too many steps"),
    .nccl = "Tree",
    .source = "Sanders, Speck & Traeff 2009; NCCL, src/graph/trees.cc",
};

const struct algorithm allreduce_nvls_tree = {
    .name = N_("nvls-tree"),
    .collective = "allreduce",
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .chunks = 1,
    .pieces = nvls_tree_pieces,
    .switches = nvls_tree_switches,
    .build = nvls_tree_build,
    .formulas = {"4 + 2 ceil(log2 X) + C-1", "(Y+3)/Y S"},
    .holds = HOLDS_X_ABOVE_3,
    .otherwise = {"4 + 2 ceil(log2 X) + C-1", NULL},
    .idea = N_("the switch of each node adds and sends to all; two trees join "
               "the nodes for every part of the data"),
    .nccl = "NVLSTree",
    .when = N_("nodes of GPUs on switches that can add: NVLink SHARP"),
    .source = "NCCL, src/device/all_reduce.h, src/graph/connect.cc",
};

const struct algorithm allreduce_collnet_direct = {
    .name = N_("collnet-direct"),
    .collective = "allreduce",
    .aliases = {"sharp"},
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .chunks = 1,
    .pieces = collnet_direct_pieces,
    .switches = coll_if_others,
    .build = collnet_build,
    .formulas = {"4 + C-1", "(2Y-1)/Y S"},
    .holds = HOLDS_Y_ABOVE_1,
    .otherwise = {"2 + C-1", "S"},
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
    .build = collnet_build,
    .formulas = {"2Y + C-1", "2 S"},
    .holds = HOLDS_Y_ABOVE_1,
    .otherwise = {"2 + C-1", "S"},
    .idea = N_("sums go along the GPUs of a node to its first one, and the "
               "network's switch adds up the nodes' sums"),
    .nccl = "CollNetChain",
    .when = N_("nodes with one way to a network whose switches can add: SHARP"),
    .source = "NCCL, src/device/all_reduce.h; Graham et al. 2016",
};
