/* SPDX-License-Identifier: MIT */
/* Binomial trees: ranks relative to the root, modulo N, whose parent has the
 * lowest set bit cleared (topology_binomial_parent).
 *
 * Going down, the link over the largest distance is used first, so that the
 * largest subtree begins first; going up it is the other way round.  Either
 * takes ceil(log2 N) steps. */
#ifndef COLL_LIB_BINOMIAL_H
#define COLL_LIB_BINOMIAL_H

#include "coll/lib/algorithm.h"

/* Copies a slot from the root to all ranks, or reduces it from all ranks into
 * the root. */
void binomial_broadcast(struct schedule *s, int root, int slot);
void binomial_reduce(struct schedule *s, int root, int slot);

/* Moves slot `first + i` from the root to rank i or, if `relative`, to the rank
 * i places after the root; or the other way.  The slots of a subtree travel
 * together. */
void binomial_scatter(struct schedule *s, int root, int first, bool relative);
void binomial_gather(struct schedule *s, int root, int first);

#endif
