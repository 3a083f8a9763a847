/* SPDX-License-Identifier: MIT */
/* Counts that many rows of the table share: chunks of a unit, steps, chunks
 * that the busiest rank sends, sends of a rank in one step; and critical
 * paths. */
#ifndef COLL_LIB_COUNTS_H
#define COLL_LIB_COUNTS_H

#include "coll/lib/algorithm.h"

int coll_one(const struct coll_options *o);    /* 1 */
int coll_ranks(const struct coll_options *o);  /* N */
int coll_chunks(const struct coll_options *o); /* C */

/* 0 for one rank; else 1, 2, N, C, and N-1 + C-1. */
int coll_one_step(const struct coll_options *o);
int coll_two_steps(const struct coll_options *o);
int coll_ranks_if_others(const struct coll_options *o);
int coll_chunks_if_others(const struct coll_options *o);
int coll_chain_steps(const struct coll_options *o);

int coll_all_others(const struct coll_options *o);       /* N-1 */
int coll_twice_all_others(const struct coll_options *o); /* 2(N-1) */
int coll_levels(const struct coll_options *o);           /* ceil(log2 N) */

/* Critical paths, of which everything is added if the collective reduces: N-1
 * messages of a chunk, ceil(log2 N) of them, ceil(log2 N) with N-1 chunks in
 * all, and a pipeline of N-1 + C-1 messages of a chunk. */
struct path coll_path_others(const struct coll_options *o);
struct path coll_path_levels(const struct coll_options *o);
struct path coll_path_doubling(const struct coll_options *o);
struct path coll_path_chain(const struct coll_options *o);

/* 2(N-1) messages of a chunk; the first half of them are added. */
struct path coll_path_twice_others(const struct coll_options *o);

/* The path of doubling, for algorithms that it holds for on powers of two
 * alone; on others none. */
struct path coll_path_doubling_power(const struct coll_options *o);

#endif
