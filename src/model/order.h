/* SPDX-License-Identifier: MIT */
/* In which order a sum came together.
 *
 *     B1+(A1+C1)     GPU 0 added C1 to its A1; GPU 1 added that to its B1
 *
 * Floating point addition is commutative but not associative, so the brackets
 * are what decides about the last bits.  The text follows the events that were
 * carried out, of this rank and of those whose data it took, not the schedule;
 * what was dropped on purpose is missing, what was added twice is there twice,
 * what was corrupted has a `!`, and memory that nobody wrote is a `?`. */
#ifndef MODEL_ORDER_H
#define MODEL_ORDER_H

#include "model/world.h"

/* How what is in a slot at the world's position came about, cut at about
 * `most` bytes and then ended with "...". Empty for an empty slot, and above
 * LEDGER_RANKS ranks, where nobody could read it. */
void order_text(const struct world *w, int rank, int slot, size_t most,
                struct buf *out);

#endif
