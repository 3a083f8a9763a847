/* SPDX-License-Identifier: MIT */
/* Up a tree and down again, chunk after chunk.
 *
 * A rank at height h (leaves: 0) sends chunk c to its parent in step h + c,
 * after its children have sent it theirs.  In step H + c, H the root's height,
 * the root sends the whole sum down, and a rank at depth d in step H + d + c:
 * so the sums of the first chunks come down while the last chunks go up.  2H +
 * C-1 steps. */
#ifndef COLL_LIB_TREEFLOW_H
#define COLL_LIB_TREEFLOW_H

#include "coll/lib/algorithm.h"

struct treeflow {
    int nranks, chunks;
    int *parent; /* by rank; -1: the root */
    int *depth, *height;
    int root;
};

/* NCCL's binary tree 0 or 1 (topology_trees_parent). */
struct treeflow treeflow_of(int nranks, int tree, int chunks);
void treeflow_done(struct treeflow *t);

int treeflow_steps(const struct treeflow *t);

/* Adds the transfers of step `step`, from 0, with chunks from `slot` on. */
void treeflow_step(struct schedule *s, const struct treeflow *t, int slot,
                   int step);

/* The phase of that step: "reduce", "broadcast", or both. */
const char *treeflow_phase(const struct treeflow *t, int step);

/* The number of ranks that a rank sends to: its children and its parent. */
int treeflow_links(const struct treeflow *t, int rank);

#endif
