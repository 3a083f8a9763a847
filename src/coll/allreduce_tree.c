/* SPDX-License-Identifier: MIT */
/* Tree all-reduce, on NCCL's binary tree.
 *
 * Sums go up the tree to rank 0 and come down again, cut into C chunks that
 * follow one another (coll/lib/treeflow.h).  About 2 log2 N + C-1 steps; an
 * inner rank sends the data up to three times.  Wins for small data on many
 * ranks.
 *
 * Source: NCCL, src/graph/trees.cc (ncclGetBtree), src/device/all_reduce.h
 * (runTreeSplit). */
#include <limits.h>

#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/treeflow.h"
#include "coll/lib/work.h"

static void
allreduce_tree_build(struct schedule *s, const struct coll_options *o)
{
    struct treeflow t = treeflow_of(o->nranks, 0, o->chunks);
    int work = work_begin(s);

    for (int step = 0; step < treeflow_steps(&t); step++) {
        schedule_step(s, treeflow_phase(&t, step));
        treeflow_step(s, &t, work, step);
    }
    treeflow_done(&t);
}

static int
steps(const struct coll_options *o)
{
    struct treeflow t = treeflow_of(o->nranks, 0, o->chunks);
    int steps = treeflow_steps(&t);

    treeflow_done(&t);
    return steps;
}

static int
ports(const struct coll_options *o)
{
    struct treeflow t = treeflow_of(o->nranks, 0, o->chunks);
    int most = 0;

    for (int rank = 0; rank < o->nranks; rank++) {
        int links = treeflow_links(&t, rank);
        most = links > most ? links : most;
    }
    treeflow_done(&t);
    return most;
}

static int
sent(const struct coll_options *o)
{
    return ports(o) * o->chunks;
}

/* Once all chunks are on their way before the first one is back. */
static int
steady(const struct coll_options *o)
{
    int half = o->chunks / 2;

    return half < 4 ? 64 : half < 16 ? 4 << half : INT_MAX;
}

const struct algorithm allreduce_tree = {
    .name = N_("tree"),
    .collective = "allreduce",
    .topology = TOPOLOGY_TREE,
    .chunks = 4,
    .pieces = coll_chunks,
    .build = allreduce_tree_build,
    .steps = steps,
    .sent = sent,
    .ports = ports,
    .steady = steady,
    .steps_formula = "2 depth + C-1",
    .bytes_formula = "3 S",
    .idea = N_("sums go up a binary tree and come down again, chunk after "
               "chunk"),
    .when = N_("small data on many ranks"),
    .source = "NCCL, src/graph/trees.cc",
};
