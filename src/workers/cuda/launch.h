/* SPDX-License-Identifier: MIT */
/* How many thread blocks a rank gets, and how large its slices are.
 *
 * Ranks wait for each other inside the kernel, so all blocks of all ranks must
 * be on the GPU at once.  Block b of a rank waits for block b of other ranks,
 * so all ranks have the same number of blocks.  A rank gets no more blocks than
 * its data can keep busy.
 *
 * This is arithmetic and knows no CUDA. */
#ifndef WORKERS_CUDA_LAUNCH_H
#define WORKERS_CUDA_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

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
