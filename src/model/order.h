/* SPDX-License-Identifier: MIT */
/* The order in which a sum was added up.
 *
 *     B1+(A1+C1)     GPU 0 added C1 to its A1; GPU 1 added that to its B1
 *
 * Floating point addition is commutative but not associative, so the brackets
 * decide the last bits.  The text follows the events that were carried out, on
 * this rank and on those whose data it received, not the schedule.  Dropped
 * data is missing, data added twice appears twice, corrupted data has a `!`,
 * and memory that was never written is a `?`. */
#ifndef MODEL_ORDER_H
#define MODEL_ORDER_H

#include "model/world.h"

/* Appends how the content of a slot at the world's position was added up, cut
 * after about `most` bytes and then ended with "...".  Appends nothing for an
 * empty slot, and above LEDGER_RANKS ranks, where nobody could read it. */
void order_text(const struct world *w, int rank, int slot, size_t most,
                struct buf *out);

#endif
