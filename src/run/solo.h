/* SPDX-License-Identifier: MIT */
/* A program run by one thread alone.  Whatever the schedule, the order of its
 * steps, pulls before applies, is one that every wait allows (program.h).  So
 * where one thread runs all ranks it can leave the counters out, and what is
 * empty too: a small message is then little more than its additions. */
#ifndef RUN_SOLO_H
#define RUN_SOLO_H

#include "run/kernels.h"
#include "run/slot.h"
#include "schedule/program.h"

struct solo;

/* `moves` as rank_bind() made them; copied. `element` in bytes. */
struct solo *solo_new(const struct program *p, const struct rank_move *moves,
                      const struct kernels *kernels, size_t element);
void solo_free(struct solo *solo);

/* All steps of all ranks, once. */
void solo_run(const struct solo *solo);

#endif
