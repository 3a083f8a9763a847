/* SPDX-License-Identifier: MIT */
#include "coll/lib/treeflow.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "coll/lib/work.h"

struct treeflow
treeflow_of(int nranks, int tree, int chunks)
{
    size_t n = (size_t)nranks;
    struct treeflow t = {nranks, chunks, mem_new(n, sizeof(int)),
                         mem_new(n, sizeof(int)), mem_new(n, sizeof(int)), 0};

    for (int rank = 0; rank < nranks; rank++) {
        t.parent[rank] = topology_trees_parent(nranks, tree, rank);
        if (t.parent[rank] < 0)
            t.root = rank;
    }
    for (int rank = 0; rank < nranks; rank++)
        for (int at = rank; t.parent[at] >= 0; at = t.parent[at]) {
            int up = ++t.depth[rank];
            if (t.height[t.parent[at]] < up)
                t.height[t.parent[at]] = up;
        }
    return t;
}

void
treeflow_done(struct treeflow *t)
{
    free(t->parent);
    free(t->depth);
    free(t->height);
}

int
treeflow_steps(const struct treeflow *t)
{
    return t->nranks > 1 ? 2 * t->height[t->root] + t->chunks - 1 : 0;
}

const char *
treeflow_phase(const struct treeflow *t, int step)
{
    int top = t->height[t->root];

    if (step < top)
        return N_("reduce");
    return step < top + t->chunks - 1 ? N_("reduce and broadcast")
                                      : N_("broadcast");
}

static void
move_chunk(struct schedule *s, const struct treeflow *t, int slot,
           enum transfer_op op, int src, int dst, int chunk)
{
    if (chunk >= 0 && chunk < t->chunks)
        move(s, op, src, slot + chunk, dst, slot + chunk, 1);
}

void
treeflow_step(struct schedule *s, const struct treeflow *t, int slot, int step)
{
    int top = t->height[t->root];

    for (int rank = 0; rank < t->nranks; rank++) {
        int parent = t->parent[rank];
        if (parent < 0)
            continue;
        move_chunk(s, t, slot, TRANSFER_REDUCE, rank, parent,
                   step - t->height[rank]);
        move_chunk(s, t, slot, TRANSFER_COPY, parent, rank,
                   step - top - t->depth[parent]);
    }
}

int
treeflow_links(const struct treeflow *t, int rank)
{
    int links = t->parent[rank] >= 0;

    for (int child = 0; child < t->nranks; child++)
        links += t->parent[child] == rank;
    return links;
}
