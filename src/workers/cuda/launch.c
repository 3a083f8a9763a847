/* SPDX-License-Identifier: MIT */
#include "workers/cuda/placement.h"

/* Bytes of a slice of all ranks of a GPU: well within its L2.  bench_gpu tries
 * others. */
#ifndef LAUNCH_SLICES
#define LAUNCH_SLICES (INT64_C(16) << 20)
#endif

enum { SLICE_BYTES_LEAST = 1 << 20 };

bool
launch_blocks(const struct launch_gpu *gpus, int ngpus, int64_t bytes,
              int *nblocks, struct err *err)
{
    int64_t feed = (bytes + LAUNCH_FEED - 1) / LAUNCH_FEED;
    int fewest = 0;

    *nblocks = 0;
    for (int i = 0; i < ngpus; i++) {
        int fit = gpus[i].ranks > 0 ? gpus[i].blocks / gpus[i].ranks : 0;

        if (i == 0 || fit < *nblocks)
            *nblocks = fit;
        if (i == 0 || gpus[i].blocks < gpus[fewest].blocks)
            fewest = i;
    }
    if (*nblocks == 0)
        return err_set(err, "%s can run %d rank%s at once and has to run %d: "
                       "take at most %d rank%s", gpus[fewest].name,
                       gpus[fewest].blocks, err_plural(gpus[fewest].blocks),
                       gpus[fewest].ranks, gpus[fewest].blocks * ngpus,
                       err_plural(gpus[fewest].blocks * ngpus));
    if (feed < *nblocks)
        *nblocks = feed > 0 ? (int)feed : 1;
    return true;
}

int64_t
launch_slice(int64_t chunk_bytes, int nranks)
{
    int64_t slice = LAUNCH_SLICES / nranks / LAUNCH_FEED * LAUNCH_FEED;

    if (slice < SLICE_BYTES_LEAST)
        slice = SLICE_BYTES_LEAST;
    return chunk_bytes <= slice + slice / 2 ? chunk_bytes : slice;
}
