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
#include <stdint.h>

#include "base/err.h"
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

/* How many thread blocks a rank gets, and how large its slices are.
 *
 * Ranks wait for each other inside the kernel, so all blocks of all ranks must
 * be on the GPU at once.  Block b of a rank waits for block b of other ranks,
 * so all ranks have the same number of blocks.  A rank gets no more blocks than
 * its data can keep busy.
 *
 * This is arithmetic and knows no CUDA. */

enum {
    LAUNCH_THREADS = 128, /* of a block */
    LAUNCH_FEED = 8 << 10, /* bytes of a slot that keep a block busy: 4 accesses
                            * of 16 bytes a thread */
};

/* What matters here of a GPU. */
struct launch_gpu {
    const char *name;
    int ranks;  /* on it */
    int blocks; /* that it can run at once */
};

/* Sets the blocks of each rank, at least 1, for chunks of up to `bytes`.
 * Returns false if not even one block a rank fits; *err says how many do. */
bool launch_blocks(const struct launch_gpu *gpus, int ngpus, int64_t bytes,
                   int *nblocks, struct err *err);

/* Bytes of a chunk that are one slice, on a GPU with that many ranks.  Slices
 * are small enough that what one rank has just written is still in the L2 cache
 * when the next one reads it, and that ranks on different GPUs overlap; they
 * are large enough that waiting is a small part of the time. */
int64_t launch_slice(int64_t chunk_bytes, int nranks);

#endif
