/* SPDX-License-Identifier: MIT */
/* Used instead of workers/cuda/launch.c, so that a few hundred bytes are enough
 * for several blocks a rank and several slices. */
#include "workers/cuda/placement.h"

#include "launch_small.h"

enum { WHOLE_BYTES = 512, SLICE_BYTES = 384 };

int launch_small_blocks = 3;

bool
launch_blocks(const struct launch_gpu *gpus, int ngpus, int64_t bytes,
              int *nblocks, struct err *err)
{
    (void)gpus, (void)ngpus, (void)bytes, (void)err;
    *nblocks = launch_small_blocks;
    return true;
}

int64_t
launch_slice(int64_t chunk_bytes, int nranks)
{
    (void)nranks;
    return launch_small_blocks == 1 || chunk_bytes <= WHOLE_BYTES
               ? chunk_bytes
               : SLICE_BYTES;
}
