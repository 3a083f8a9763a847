/* SPDX-License-Identifier: MIT */
/* The algorithms: the one table, and how to build a schedule from its rows.
 *
 * An algorithm is one file, coll/<collective>_<algorithm>.c, with one pure
 * function that fills a schedule, and one row here.  Its name on the command
 * line is <algorithm>-<collective>; a collective alone means the first row
 * that has it, an algorithm alone the only one of that name. */
#ifndef COLL_COLL_H
#define COLL_COLL_H

#include "base/err.h"
#include "base/near.h"
#include "coll/lib/algorithm.h"

/* The table, by index from 0; NULL behind its end. */
const struct algorithm *coll_at(int index);

/* "ring-allreduce", or "allreduce" for its first algorithm, or "bruck" where only
 * one is called so; aliases too.  False with an error that says which it could be,
 * or what is near. */
bool coll_find(const char *name, const struct algorithm **algorithm,
               struct err *err);

/* Considers all names that coll_find() knows. */
void coll_near(struct near *n);

/* Completes options for an algorithm: default chunks and sizes. False where
 * they do not fit it, with the reason. */
bool coll_complete(const struct algorithm *algorithm, struct coll_options *o,
                   struct err *err);

/* A new schedule, or NULL with the reason. */
struct schedule *coll_build(const struct algorithm *algorithm,
                            const struct coll_options *o, struct err *err);

#endif
