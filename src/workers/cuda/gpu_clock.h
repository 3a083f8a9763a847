/* SPDX-License-Identifier: MIT */
/* The difference between a GPU's clock and the host's.
 *
 * %globaltimer counts nanoseconds from some moment of its own, and advances in
 * ticks, of 32 ns or 1 us on common GPUs.  A kernel answers the host several
 * times.  Each answer was given between the host's question and the moment when
 * the host saw the answer, so the quickest round gives the difference of the
 * clocks to within half of that time and a tick. */
#ifndef WORKERS_CUDA_GPU_CLOCK_H
#define WORKERS_CUDA_GPU_CLOCK_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "base/err.h"

struct gpu_clock {
    int64_t ahead_ns;       /* base/clock.h's time less the GPU's */
    int64_t uncertainty_ns; /* of that, to either side, at that moment: the
                             * clocks drift apart later */
};

/* Memory that both sides see, for questions and answers. */
struct gpu_clock_desk {
    uint64_t asked, stop;
    uint64_t answered, time_ns, tick_ns;
};

/* Compares the clock of the current GPU; the desk is mapped host memory. */
bool gpu_clock_compare(cudaStream_t stream, struct gpu_clock_desk *desk,
                       struct gpu_clock *clock, struct err *err);

#endif
