/* SPDX-License-Identifier: MIT */
/* Trees of ranks (schedule/topology.h): the binomial ones, whose links are used
 * once each, and NCCL's binary ones, with what a pipeline needs. */
#ifndef COLL_LIB_TREES_H
#define COLL_LIB_TREES_H

#include "coll/lib/algorithm.h"

enum { BINOMIAL_WHOLE = -1 };

/* In a binomial tree a rank relative to the root, modulo N, has the parent with
 * the lowest set bit cleared (topology_binomial_parent).  Going down, the link
 * over the largest distance is used first, so that the largest subtree begins
 * first; going up it is the other way round.  Either takes ceil(log2 N) steps.
 *
 * Uses every link of the tree once, in steps of one phase.  A link carries one
 * slot, if `shift` is BINOMIAL_WHOLE; or, of the slots from `slot` on, together
 * those of the child's subtree: slot shift + i, modulo N, is that of the rank i
 * places after the root. */
void binomial_links(struct schedule *s, int root, const char *phase, bool up,
                    enum transfer_op op, int slot, int shift);

struct tree {
    int *parent; /* by rank; -1: the root */
    int *depth, *height; /* by rank */
    int top; /* the root's height */
};

/* Tree 0 or 1 (topology_trees_parent). */
struct tree tree_of(int nranks, int index);
void tree_done(struct tree *t);

#endif
