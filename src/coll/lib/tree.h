/* SPDX-License-Identifier: MIT */
/* NCCL's binary trees (schedule/topology.h), with what a pipeline needs. */
#ifndef COLL_LIB_TREE_H
#define COLL_LIB_TREE_H

struct tree {
    int *parent; /* by rank; -1: the root */
    int *depth, *height; /* by rank */
    int top; /* the root's height */
};

/* Tree 0 or 1 (topology_trees_parent). */
struct tree tree_of(int nranks, int index);
void tree_done(struct tree *t);

#endif
