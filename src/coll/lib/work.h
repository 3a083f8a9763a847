/* SPDX-License-Identifier: MIT */
/* The work buffer: laid out as a rank's buffer is in place, also out of place,
 * so that an algorithm has one way to do things.
 *
 * In place it is the buffer.  Out of place it is the output where that is as
 * long as the input, else scratch; inputs are copied into it first, and
 * outputs out of it last, in steps of their own that cost no link. */
#ifndef COLL_LIB_WORK_H
#define COLL_LIB_WORK_H

#include "coll/lib/algorithm.h"

/* Slots of scratch for it, of an algorithm that cuts units into `pieces`. */
int work_scratch(const struct coll_options *o, const char *collective,
                 int pieces);

/* Fills it. Returns its first slot. */
int work_begin(struct schedule *s);
void work_end(struct schedule *s, int work);

/* nslots slots, at `slot` of the work buffers of both. */
void work_copy(struct schedule *s, int src, int dst, int slot, int nslots);
void work_reduce(struct schedule *s, int src, int dst, int slot, int nslots);

/* Any slots. */
void move(struct schedule *s, enum transfer_op op, int src, int src_slot,
          int dst, int dst_slot, int nslots);

#endif
