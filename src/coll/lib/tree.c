/* SPDX-License-Identifier: MIT */
#include "coll/lib/tree.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "schedule/topology.h"

struct tree
tree_of(int nranks, int index)
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

void
tree_done(struct tree *t)
{
    free(t->parent);
    free(t->depth);
    free(t->height);
}
