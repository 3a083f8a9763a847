/* SPDX-License-Identifier: MIT */
/* The rows of the table, each from its own file: allreduce_ring is in
 * allreduce_ring.c. Private to coll.c and those files. */
#ifndef COLL_ALGORITHMS_H
#define COLL_ALGORITHMS_H

#include "coll/coll.h"

extern const struct algorithm allreduce_ring;

#endif
