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

enum { BINOMIAL_WHOLE = -1 };

/* Uses every link of the tree once, in steps of one phase.  A link carries one
 * slot, if `shift` is BINOMIAL_WHOLE; or, of the slots from `slot` on, together
 * those of the child's subtree: slot shift + i, modulo N, is that of the rank i
 * places after the root. */
void binomial_links(struct schedule *s, int root, const char *phase, bool up,
                    enum transfer_op op, int slot, int shift);

#endif
