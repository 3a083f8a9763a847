/* SPDX-License-Identifier: MIT */
/* Uneven inputs: how many elements each unit of each rank's input has, as MPI's
 * v-collectives take them.
 *
 * | collective              | --counts     | which is                         |
 * |-------------------------|--------------|----------------------------------|
 * | allgather, gather       | 3,0,5,2      | the input of rank r              |
 * | reduce-scatter, scatter | 3,0,5,2      | unit r of every input            |
 * | alltoall                | 2,2/0,1      | row r: what rank r has for each  |
 *
 * A single row for an all-to-all is that of every rank.  Collectives whose
 * ranks all hold as much have no counts.
 *
 * A chunk without elements is not sent: its transfers are taken out of the
 * schedule, so that it holds nobody up.  (Open MPI leaves such messages out,
 * too: coll_base_alltoallv.c.) */
#ifndef SCHEDULE_COUNTS_H
#define SCHEDULE_COUNTS_H

#include "schedule/schedule.h"

/* A copy of a complete, valid schedule with the counts that a text says, and
 * without transfers of nothing.  Returns NULL, with the reason in *err, if they
 * are not for it. */
struct schedule *counts_apply(const struct schedule *s, const char *text,
                              struct err *err);

/* Gives a schedule `n` counts, as s->counts has them.  Returns false if they
 * are not for it. */
bool counts_set(struct schedule *s, const int64_t *counts, size_t n,
                struct err *err);

/* How many s->counts a schedule of this collective has; 0: it takes none. */
size_t counts_number(const struct schedule *s);

/* The number of ranks that a text is for: of its rows, if there are several,
 * else of its numbers. */
int counts_ranks(const char *text);

#endif
