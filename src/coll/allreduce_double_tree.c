/* SPDX-License-Identifier: MIT */
/* Double-binary-tree all-reduce, NCCL's.
 *
 * Two trees over the same ranks, each with half of the data.  A rank that is an
 * inner node of one is usually a leaf of the other, so that no link is idle.
 * Each half is cut into C chunks.  About 2 log2 N +
 * C-1 steps, and no rank sends more than about twice its data.  Wins for large
 * data on many ranks, where a ring's 2(N-1) steps are too many.
 *
 * Source: P. Sanders, J. Speck, J. L. Traeff, "Two-tree algorithms for full
 * bandwidth broadcast, reduction and scan", Parallel Computing 35 (2009);
 * NCCL, src/graph/trees.cc (ncclGetDtree). */
#include <limits.h>

#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/treeflow.h"
#include "coll/lib/work.h"

static void
open_trees(const struct coll_options *o, struct treeflow trees[2])
{
    for (int i = 0; i < 2; i++)
        trees[i] = treeflow_of(o->nranks, i, o->chunks);
}

static void
close_trees(struct treeflow trees[2])
{
    for (int i = 0; i < 2; i++)
        treeflow_done(&trees[i]);
}

/* Both trees have the same height, because one is the other's mirror image or
 * shifted. */
static void
allreduce_double_tree_build(struct schedule *s, const struct coll_options *o)
{
    struct treeflow trees[2];
    int work = work_begin(s);

    open_trees(o, trees);
    for (int step = 0; step < treeflow_steps(&trees[0]); step++) {
        schedule_step(s, treeflow_phase(&trees[0], step));
        for (int i = 0; i < 2; i++)
            treeflow_step(s, &trees[i], work + i * o->chunks, step);
    }
    close_trees(trees);
}

static int
pieces(const struct coll_options *o)
{
    return 2 * o->chunks;
}

static int
steps(const struct coll_options *o)
{
    struct treeflow trees[2];
    int steps;

    open_trees(o, trees);
    steps = treeflow_steps(&trees[0]);
    close_trees(trees);
    return steps;
}

static int
most_links(const struct coll_options *o)
{
    struct treeflow trees[2];
    int most = 0;

    open_trees(o, trees);
    for (int rank = 0; rank < o->nranks; rank++) {
        int links = treeflow_links(&trees[0], rank) +
                    treeflow_links(&trees[1], rank);
        most = links > most ? links : most;
    }
    close_trees(trees);
    return most;
}

static int
sent(const struct coll_options *o)
{
    return most_links(o) * o->chunks;
}

/* Once all chunks are on their way before the first one is back. */
static int
steady(const struct coll_options *o)
{
    return o->chunks < 16 ? 64 << o->chunks : INT_MAX;
}

const struct algorithm allreduce_double_tree = {
    .name = N_("double-tree"),
    .collective = "allreduce",
    .aliases = {"dbtree", "double-binary-tree"},
    .topology = TOPOLOGY_TREES,
    .chunks = 2,
    .pieces = pieces,
    .build = allreduce_double_tree_build,
    .steps = steps,
    .sent = sent,
    .ports = most_links,
    .steady = steady,
    .steps_formula = "2 depth + C-1",
    .bytes_formula = "2 S",
    .idea = N_("two trees with half of the data each: inside of one, a leaf "
               "of the other"),
    .when = N_("large data on many ranks, where a ring has too many steps"),
    .source = "Sanders, Speck & Traeff 2009; NCCL, src/graph/trees.cc",
};
