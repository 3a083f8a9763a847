/* SPDX-License-Identifier: MIT */
/* What algorithms are made of: arithmetic on ranks, counts that many rows of
 * the table share, moves.
 *
 * The work buffer has the layout of an in-place buffer also out of place, so
 * that an algorithm needs no second version.  In place it is the buffer.  Out
 * of place it is the output if that is as long as the input, else scratch;
 * inputs are first copied into it, and outputs finally out of it, in local
 * steps of their own. */
#ifndef COLL_LIB_PARTS_H
#define COLL_LIB_PARTS_H

#include "coll/lib/algorithm.h"

/* a mod n, from 0 to n-1 also for negative a. */
static inline int
modulo(int a, int n)
{
    return (a % n + n) % n;
}

/* The largest k with 2^k <= n, for n >= 1. */
static inline int
log2_floor(int n)
{
    int k = 0;

    while (n >>= 1)
        k++;
    return k;
}

/* The least k with 2^k >= n, for n >= 1. */
static inline int
log2_ceil(int n)
{
    return n > 1 ? log2_floor(n - 1) + 1 : 0;
}

/* Chunks of a unit, scratch slots, switches. */
int coll_ranks(const struct coll_options *o);  /* N */
int coll_chunks(const struct coll_options *o); /* C */

/* 0 for one rank; else 1, and N. */
int coll_if_others(const struct coll_options *o);
int coll_ranks_if_others(const struct coll_options *o);

/* Critical paths, of which everything is added if the collective reduces: N-1
 * messages of a chunk, ceil(log2 N) with N-1 chunks in all. */
struct path coll_path_others(const struct coll_options *o);
struct path coll_path_doubling(const struct coll_options *o);

/* 2(N-1) messages of a chunk; the first half of them are added. */
struct path coll_path_twice_others(const struct coll_options *o);

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
