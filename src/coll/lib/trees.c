/* SPDX-License-Identifier: MIT */
#include "coll/lib/trees.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "coll/lib/parts.h"

/* Moves the slots of relative ranks first .. last - 1; as true ranks they may
 * wrap around. */
static void
move_units(struct schedule *s, int src, int dst, int slots, int first,
           int last)
{
    int n = s->nranks, begin = first % n, count = last - first;
    int head = least(count, n - begin);

    work_copy(s, src, dst, slots + begin, head);
    if (count > head)
        work_copy(s, src, dst, slots, count - head);
}

/* c is a child over distance d, its parent c - d, both relative to the root. */
void
binomial_links(struct schedule *s, int root, const char *phase, bool up,
               enum transfer_op op, int slot, int shift)
{
    int n = s->nranks, levels = log2_ceil(n);

    for (int k = 0; k < levels; k++) {
        int d = 1 << (up ? k : levels - 1 - k);
        schedule_step(s, phase);
        for (int c = d; c < n; c += 2 * d) {
            int child = (root + c) % n, parent = (root + c - d) % n;
            int src = up ? child : parent, dst = up ? parent : child;
            if (shift == BINOMIAL_WHOLE)
                work_move(s, op, src, slot, dst, slot, 1);
            else
              move_units(s, src, dst, slot, shift + c, shift + least(c + d, n));
        }
    }
}

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
