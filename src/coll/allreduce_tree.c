/* SPDX-License-Identifier: MIT */
/* Tree all-reduce, on one or two of NCCL's binary trees.
 *
 * Sums go up the tree to rank 0 and come down again, cut into C chunks that
 * follow one another.  A rank at height h (leaves: 0) sends chunk c to its
 * parent in step h + c, after its children have sent it theirs.  In step H + c,
 * H the root's height, the root sends the whole sum down, and a rank at depth d
 * in step H + d + c: so the sums of the first chunks come down while the last
 * chunks go up.  2H + C-1 steps, about 2 log2 N + C-1; an inner rank sends the
 * data up to three times.  Wins for small data on many ranks.
 *
 * The double tree is two trees over the same ranks, each with half of the data,
 * cut into C chunks.  A rank that is an inner node of one is usually a leaf of
 * the other, so that no link is idle, and no rank sends more than about twice
 * its data.  Both have the same height, because one is the other's mirror image
 * or shifted.  Wins for large data on many ranks, where a ring's 2(N-1) steps
 * are too many.
 *
 * Source: NCCL, src/graph/trees.cc (ncclGetBtree, ncclGetDtree),
 * src/device/all_reduce.h (runTreeSplit); P. Sanders, J. Speck, J. L. Traeff,
 * "Two-tree algorithms for full bandwidth broadcast, reduction and scan",
 * Parallel Computing 35 (2009). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"
#include "coll/lib/trees.h"

static void
move_chunk(struct schedule *s, const struct coll_options *o, int slot,
           enum transfer_op op, int src, int dst, int chunk)
{
    if (chunk >= 0 && chunk < o->chunks)
        work_move(s, op, src, slot + chunk, dst, slot + chunk, 1);
}

/* Adds the transfers of step `step`, from 0, with chunks from `slot` on. */
static void
tree_step(struct schedule *s, const struct coll_options *o,
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
build(struct schedule *s, const struct coll_options *o)
{
    int trees = s->topology.kind == TOPOLOGY_TREES ? 2 : 1;
    struct tree t[2] = {tree_of(o->nranks, 0), tree_of(o->nranks, 1)};
    int work = work_begin(s);
    int last = o->nranks > 1 ? 2 * t[0].top + o->chunks - 1 : 0;

    for (int step = 0; step < last; step++) {
        schedule_step(s, step < t[0].top ? N_("reduce")
                         : step < t[0].top + o->chunks - 1
                             ? N_("reduce and broadcast") : N_("broadcast"));
        for (int i = 0; i < trees; i++)
            tree_step(s, o, &t[i], work + i * o->chunks, step);
    }
    tree_done(&t[0]);
    tree_done(&t[1]);
}

static int
two_halves(const struct coll_options *o)
{
    return 2 * o->chunks;
}

const struct algorithm allreduce_tree = {
    .name = N_("tree"),
    .collective = "allreduce",
    .topology = TOPOLOGY_TREE,
    .chunks = 4,
    .pieces = coll_chunks,
    .build = build,
    /* A doubling makes the tree one deeper, and its busiest rank has two
     * children and a parent from 8 ranks on. */
    .steady = 8,
    .steps_formula = "2 depth + C-1",
    .bytes_formula = "3 S",
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
    .pieces = two_halves,
    .build = build,
    /* As one tree, but for how the two share ports: to 8 % of the time. */
    .steady = 48,
    .steps_formula = "2 depth + C-1",
    .bytes_formula = "2 S",
    .idea = N_("two trees with half of the data each: inside of one, a leaf "
               "of the other"),
    .when = N_("large data on many ranks, where a ring has too many steps"),
    .nccl = "Tree",
    .source = "Sanders, Speck & Traeff 2009; NCCL, src/graph/trees.cc",
};
