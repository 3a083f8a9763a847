/* SPDX-License-Identifier: MIT */
/* The work buffer: it has the layout of an in-place buffer also out of place,
 * so that an algorithm needs no second version.
 *
 * In place it is the buffer.  Out of place it is the output if that is as long
 * as the input, else scratch; inputs are first copied into it, and outputs
 * finally out of it, in local steps of their own. */
#ifndef COLL_LIB_WORK_H
#define COLL_LIB_WORK_H

#include "coll/lib/algorithm.h"

/* The scratch slots it needs if the output is shorter than the input and units
 * are one chunk. */
int work_scratch(const struct coll_options *o);

/* Fills the work buffer; returns its first slot. work_end() copies outputs. */
int work_begin(struct schedule *s);
void work_end(struct schedule *s, int work);

/* Moves nslots slots, at `slot` of the work buffers of both ranks. */
void work_copy(struct schedule *s, int src, int dst, int slot, int nslots);
void work_reduce(struct schedule *s, int src, int dst, int slot, int nslots);

/* Moves any slots. */
void work_move(struct schedule *s, enum transfer_op op, int src, int src_slot,
               int dst, int dst_slot, int nslots);

#endif
