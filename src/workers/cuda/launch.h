/* SPDX-License-Identifier: MIT */
/* How many thread blocks a rank gets.
 *
 * Ranks wait for each other inside the kernel, so all blocks of all ranks must
 * be on the GPU at once.  Block b of a rank waits for block b of others, so
 * every rank has as many.  More than its data can feed are of no use.
 *
 * Arithmetic; knows no CUDA. */
#ifndef WORKERS_CUDA_LAUNCH_H
#define WORKERS_CUDA_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum {
    LAUNCH_THREADS = 128, /* of a block */
    LAUNCH_FEED = 8 << 10, /* bytes of a slot that keep a block busy: 4
                             * accesses of 16 bytes a thread */
};

/* A GPU, as far as this matters. */
struct launch_gpu {
    const char *name;
    int ranks;  /* on it */
    int blocks; /* that it can run at once */
};

/* Blocks of each rank, at least 1, for chunks of up to `bytes`; false where
 * not even that fits, with what would. */
bool launch_blocks(const struct launch_gpu *gpus, int ngpus, int64_t bytes,
                   int *nblocks, struct err *err);

/* Bytes of a chunk that are one slice.  Small enough that what one rank has
 * just written is still in the L2 cache when the next one reads it, and that
 * ranks on different GPUs overlap; large enough that waiting is little of it. */
int64_t launch_slice(int64_t chunk_bytes);

#endif
