/* SPDX-License-Identifier: MIT */
/* All-reduce by recursive doubling, folded (coll/lib/fold.h): seats exchange
 * all they have summed up with the seat whose number differs in bit d, d = 1,
 * 2, 4, ...  Both add the same two sums, and a + b is b + a: all ranks end with
 * the same bits. */
#ifndef COLL_LIB_BUTTERFLY_H
#define COLL_LIB_BUTTERFLY_H

#include "coll/lib/algorithm.h"
#include "coll/lib/fold.h"

void butterfly_build(struct schedule *s, const struct fold *f);
int butterfly_steps(const struct fold *f);
int butterfly_sent(const struct fold *f);
struct path butterfly_path(const struct fold *f);

#endif
