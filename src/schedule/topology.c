/* SPDX-License-Identifier: MIT */
#include "schedule/topology.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const char *const names[TOPOLOGY_KINDS] = {
    [TOPOLOGY_ANY] = "any",           [TOPOLOGY_RING] = "ring",
    [TOPOLOGY_STAR] = "star",         [TOPOLOGY_BINOMIAL] = "binomial",
    [TOPOLOGY_TREE] = "tree",         [TOPOLOGY_TREES] = "trees",
    [TOPOLOGY_TORUS] = "torus",       [TOPOLOGY_MESH] = "mesh",
    [TOPOLOGY_CUBE] = "cube",         [TOPOLOGY_NODES] = "nodes",
};

const char *
topology_name(enum topology_kind kind)
{
    return names[kind];
}

bool
topology_find(const char *name, enum topology_kind *kind)
{
    for (int k = 0; k < TOPOLOGY_KINDS; k++)
        if (strcmp(names[k], name) == 0) {
            *kind = (enum topology_kind)k;
            return true;
        }
    return false;
}

static bool
has_sizes(enum topology_kind kind)
{
    return kind == TOPOLOGY_TORUS || kind == TOPOLOGY_MESH ||
           kind == TOPOLOGY_NODES;
}

void
hosts_order(const struct hosts *h, struct buf *out)
{
    if (h->turn > 0 || h->listed > 0)
        buf_puts(out, h->listed == 0 ? ",order=cyclic" : ",order=");
    for (int place = 0, rank; place < h->listed; place++) {
        for (rank = 0; h->places[rank] != place; rank++) {}
        buf_addf(out, "%s%d", place > 0 ? "," : "", rank);
    }
}

bool
topology_fits(const struct topology *t, int nranks)
{
    int64_t ranks = 1;

    nranks -= t->switches;
    if (t->switches < 0 || nranks < 1 ||
        (t->switches > 0 && t->kind != TOPOLOGY_STAR &&
         t->kind != TOPOLOGY_NODES) ||
        (t->switches > 1 && t->switches != t->dims[0]))
        return false;
    for (int d = 0; d < TOPOLOGY_DIMS; d++) {
        if (!has_sizes(t->kind) && t->dims[d] != 0)
            return false;
        if (has_sizes(t->kind) && (t->dims[d] < 1 || t->dims[d] > nranks))
            return false;
        ranks *= t->dims[d];
    }
    return !has_sizes(t->kind) || ranks == nranks;
}

int
topology_binomial_parent(int nranks, int root, int rank)
{
    int relative = (rank - root + nranks) % nranks;

    if (relative == 0)
        return -1;
    return ((relative & (relative - 1)) + root) % nranks;
}

/* NCCL's binary tree in rank order, with rank 0 as the root (ncclGetBtree in
 * NCCL's src/graph/trees.cc). The lowest set bit of a rank is its level. */
static int
tree_parent(int nranks, int rank)
{
    int bit = rank & -rank, parent;

    if (rank == 0)
        return -1;
    parent = (rank ^ bit) | bit << 1;
    return parent < nranks ? parent : rank ^ bit;
}

int
topology_trees_parent(int nranks, int tree, int rank)
{
    int parent;

    if (tree == 0)
        return tree_parent(nranks, rank);
    if (nranks % 2 == 0) {
        parent = tree_parent(nranks, nranks - 1 - rank);
        return parent < 0 ? -1 : nranks - 1 - parent;
    }
    parent = tree_parent(nranks, (rank - 1 + nranks) % nranks);
    return parent < 0 ? -1 : (parent + 1) % nranks;
}

static bool
next_to(int a, int b, int size, bool wraps)
{
    int distance = a > b ? a - b : b - a;

    return distance == 1 || (wraps && distance == size - 1);
}

/* Whether the coordinates differ in exactly one dimension, and there by one. */
static bool
grid_links(const int dims[TOPOLOGY_DIMS], bool wraps, int a, int b)
{
    int differing = 0;

    for (int d = TOPOLOGY_DIMS - 1; d >= 0; d--) {
        int i = a % dims[d], j = b % dims[d];
        if (i != j && !next_to(i, j, dims[d], wraps))
            return false;
        differing += i != j;
        a /= dims[d];
        b /= dims[d];
    }
    return differing == 1;
}

int
topology_center(const struct topology *t, int nranks, int root)
{
    return t->switches > 0 ? nranks - 1 : root;
}

bool
topology_links(const struct topology *t, int nranks, int root, int a, int b)
{
    int per_node = t->dims[1] * t->dims[2], members = nranks - t->switches;
    int center = topology_center(t, nranks, root);

    if (a == b)
        return true;
    if (t->kind == TOPOLOGY_NODES && (a >= members) != (b >= members))
        return t->switches == 1 ||
               (a < b ? a : b) / per_node == (a < b ? b : a) - members;
    switch (t->kind) {
    case TOPOLOGY_RING:
        return next_to(a, b, nranks, true);
    case TOPOLOGY_STAR:
        return a == center || b == center;
    case TOPOLOGY_BINOMIAL:
        return topology_binomial_parent(nranks, root, a) == b ||
               topology_binomial_parent(nranks, root, b) == a;
    case TOPOLOGY_TREE:
    case TOPOLOGY_TREES:
        for (int tree = 0; tree <= (t->kind == TOPOLOGY_TREES); tree++)
            if (topology_trees_parent(nranks, tree, a) == b ||
                topology_trees_parent(nranks, tree, b) == a)
                return true;
        return false;
    case TOPOLOGY_TORUS:
    case TOPOLOGY_MESH:
        return grid_links(t->dims, t->kind == TOPOLOGY_TORUS, a, b);
    case TOPOLOGY_CUBE:
        return ((a ^ b) & ((a ^ b) - 1)) == 0;
    case TOPOLOGY_NODES:
        return a < members && (a / per_node == b / per_node ||
                               a % per_node == b % per_node);
    default:
        return true;
    }
}
