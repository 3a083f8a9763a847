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

/* The same slots from the root to all, or from all into the root. */
void binomial_broadcast(struct schedule *s, int root, int slot, int nslots);
void binomial_reduce(struct schedule *s, int root, int slot, int nslots);

/* Slot `first + i`, for every rank i or, if `relative`, for every rank i
 * places behind the root, from the root to that rank, or the other way. A
 * subtree's slots travel together. */
void binomial_scatter(struct schedule *s, int root, int first, bool relative);
void binomial_gather(struct schedule *s, int root, int first);

#endif
