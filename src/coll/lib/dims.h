/* SPDX-License-Identifier: MIT */
/* All-reduce in stages, one for each dimension.  Data is reduced and scattered
 * along the last dimension, after which each rank owns a part of it; that part
 * along the dimension before; and so on until every rank owns one chunk.  Then
 * everything is gathered in the opposite order.
 *
 * Every rank sends 2(N-1)/N of its data, as on one ring over all of them, in
 * 2(x-1 + y-1 + z-1) steps instead of 2(N-1).
 *
 * On a ring a part goes round, NCCL's numbering (allreduce_ring.c).  On a line,
 * whose ends have no link, parts come from both ends at once, the farthest
 * first; each is added to where it passes. */
#ifndef COLL_LIB_DIMS_H
#define COLL_LIB_DIMS_H

#include "coll/lib/algorithm.h"

/* Units must be cut into N chunks; lines are those of TOPOLOGY_MESH.
 * phases[d] names the reduce-scatter and the all-gather along dimension d. */
void dims_build(struct schedule *s, const struct coll_options *o,
                  const char *const phases[TOPOLOGY_DIMS][2]);

/* With the names of a grid's phases. */
void dims_build_grid(struct schedule *s, const struct coll_options *o);

int dims_steps(const struct coll_options *o);

/* The chunks that the busiest rank sends, on rings and on lines. */
int dims_sent(const struct coll_options *o);
int dims_sent_lines(const struct coll_options *o);

/* The critical path on rings. */
struct path dims_path(const struct coll_options *o);

#endif
