/* SPDX-License-Identifier: MIT */
/* Counts that many rows of the table share: chunks of a unit, steps, chunks
 * that the busiest rank sends, sends of a rank in one step. */
#ifndef COLL_LIB_COUNTS_H
#define COLL_LIB_COUNTS_H

#include "coll/lib/algorithm.h"

int coll_one(const struct coll_options *o);    /* 1 */
int coll_ranks(const struct coll_options *o);  /* N */
int coll_chunks(const struct coll_options *o); /* C */

/* 0 for one rank; else 1, C, and N-1 + C-1. */
int coll_one_step(const struct coll_options *o);
int coll_chunks_if_others(const struct coll_options *o);
int coll_chain_steps(const struct coll_options *o);

int coll_all_others(const struct coll_options *o);       /* N-1 */
int coll_twice_all_others(const struct coll_options *o); /* 2(N-1) */
int coll_levels(const struct coll_options *o);           /* ceil(log2 N) */

#endif
