/* SPDX-License-Identifier: MIT */
/* Which rank lives on which GPU, and which of its slots have to lie in host
 * memory, because a GPU that reads them cannot reach that GPU's memory.
 *
 *     GPU   0  0  0  1  1      5 ranks on 2 GPUs: neighbours stay together,
 *     rank  0  1  2  3  4      so a ring crosses between GPUs as often as
 *                              there are GPUs
 *
 * This is arithmetic and knows no CUDA. */
#ifndef WORKERS_CUDA_PLACEMENT_H
#define WORKERS_CUDA_PLACEMENT_H

#include <stdbool.h>

#include "schedule/program.h"

struct placement {
    int nranks;
    int ngpus; /* that have ranks: no more than there are ranks */
};

struct placement placement_of(int nranks, int ngpus);

/* The GPU, from 0, that a rank lives on. */
int placement_gpu(const struct placement *p, int rank);

/* The first rank on a GPU; for GPU p->ngpus, the number of ranks. */
int placement_first(const struct placement *p, int gpu);

/* Sets staged[rank * program->nslots + slot] for each slot that has to lie in
 * mapped host memory: a rank pulls from it on a GPU that does not reach the
 * owner's.  reach[a * ngpus + b] says whether GPU a can read GPU b's memory.
 * Returns how many were set. */
int placement_stage(const struct placement *p, const struct program *program,
                    const bool *reach, bool *staged);

#endif
