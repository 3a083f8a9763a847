/* SPDX-License-Identifier: MIT */
/* Sentences that speak for all ranks of a step:
 *
 *     Every GPU sends a chunk to the next and adds what it receives.
 *     GPUs 2 apart exchange 4 chunks.
 *     All others send a chunk to GPU 0, which adds them up.
 *
 * They follow from the step's pattern (schedule/pattern.h), not from the name
 * of an algorithm. */
#ifndef TEXT_ALL_RANKS_H
#define TEXT_ALL_RANKS_H

#include "base/buf.h"
#include "base/dtype.h"
#include "schedule/pattern.h"

/* Appends the longest sentence about a pattern of `nranks` ranks that takes at
 * most `columns`. Returns false if there is none. */
bool all_ranks_add(const struct pattern *p, int nranks, enum redop op,
                   bool past, int columns, struct buf *out);

#endif
