/* SPDX-License-Identifier: MIT */
/* All-reduce by recursive doubling, folded (coll/lib/fold.h): seats exchange
 * all they have summed up with the seat whose number differs in bit d, d = 1,
 * 2, 4, ...  Both add the same two sums, and a + b is b + a: all ranks end with
 * the same bits. */
#ifndef COLL_LIB_BUTTERFLY_H
#define COLL_LIB_BUTTERFLY_H

#include "coll/lib/algorithm.h"

/* On a cube's links if the schedule's topology is one. */
void butterfly_build(struct schedule *s, const struct coll_options *o);
int butterfly_sent(const struct coll_options *o);
struct path butterfly_path(const struct coll_options *o);

#endif
