/* SPDX-License-Identifier: MIT */
/* All-reduce in stages, one a dimension: ranks are reduced and scattered along
 * the last dimension, each of which then owns a part of the data; along the
 * one before, on that part alone; and so on until every rank owns one chunk.
 * Then all is gathered the same way back.
 *
 * Every rank sends 2(N-1)/N of its data, as on one ring over all of them, in
 * 2(x-1 + y-1 + z-1) steps instead of 2(N-1).
 *
 * On a ring a part goes round, NCCL's numbering (allreduce_ring.c).  On a line,
 * whose ends have no link, parts come from both ends at once, the farthest
 * first; each is added to where it passes. */
#ifndef COLL_LIB_STAGES_H
#define COLL_LIB_STAGES_H

#include "coll/lib/algorithm.h"

enum stage_wiring { STAGE_RINGS, STAGE_LINES };

/* A unit must have been cut into N chunks. phases[d] names what happens along
 * dimension d: its reduce-scatter, and its all-gather. */
void stages_build(struct schedule *s, const struct coll_options *o,
                  enum stage_wiring wiring,
                  const char *const phases[TOPOLOGY_DIMS][2]);

int stages_steps(const struct coll_options *o);

/* Chunks that the busiest rank sends. */
int stages_sent(const struct coll_options *o, enum stage_wiring wiring);

#endif
