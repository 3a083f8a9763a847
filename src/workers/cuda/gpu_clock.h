/* SPDX-License-Identifier: MIT */
/* A GPU's time, told in the host's.
 *
 * %globaltimer counts nanoseconds from some moment of its own, and goes on in
 * ticks, of 32 ns or 1 us on common GPUs.  A kernel answers the host some
 * times; an answer was given between the host's question and its hearing the
 * answer, so the quickest round tells the difference of both clocks to half of
 * what it took, and a tick. */
#ifndef WORKERS_CUDA_GPU_CLOCK_H
#define WORKERS_CUDA_GPU_CLOCK_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "base/err.h"

struct gpu_clock {
    int64_t ahead_ns;       /* base/clock.h's time less the GPU's */
    int64_t uncertainty_ns; /* of that, to either side, at that moment: later
                             * the clocks drift apart */
};

/* Memory of both sides, for what they ask and answer. */
struct gpu_clock_desk {
    uint64_t asked, stop;
    uint64_t answered, time_ns, tick_ns;
};

/* Compares the clock of the current GPU; the desk is mapped host memory. */
bool gpu_clock_compare(cudaStream_t stream, struct gpu_clock_desk *desk,
                       struct gpu_clock *clock, struct err *err);

#endif
