/* SPDX-License-Identifier: MIT */
/* All-gather by recursive doubling, folded (coll/lib/fold.h): in the step with
 * distance d seats exchange all they have with the seat whose number differs
 * in bit d, d = 1, 2, 4, ... */
#ifndef COLL_LIB_DOUBLING_H
#define COLL_LIB_DOUBLING_H

#include "coll/lib/algorithm.h"

/* On a cube's links if the schedule's topology is one. */
void doubling_build(struct schedule *s, const struct coll_options *o);
int doubling_sent(const struct coll_options *o);
struct path doubling_path(const struct coll_options *o);

#endif
