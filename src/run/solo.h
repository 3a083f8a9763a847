/* SPDX-License-Identifier: MIT */
/* A program run by one thread alone.  Running a schedule step by step, pulls
 * before applies, satisfies every wait (program.h).  So if one thread runs all
 * ranks, it can omit the counters, and empty slots too: a small message then
 * takes little more than its additions. */
#ifndef RUN_SOLO_H
#define RUN_SOLO_H

#include "run/kernels.h"
#include "run/rank_memory.h"
#include "schedule/program.h"

struct solo;

/* `moves` are those of prepare_moves(); copied. `element` is in bytes. */
struct solo *solo_new(const struct program *p, const struct rank_move *moves,
                      const struct kernels *kernels, size_t element);
void solo_free(struct solo *solo);

/* Runs all steps of all ranks once. */
void solo_run(const struct solo *solo);

#endif
