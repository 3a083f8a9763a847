/* SPDX-License-Identifier: MIT */
/* The interface between the host and its kernels (workers/cuda/kernels.cu).
 * Kernels are launched by name:
 *
 *     void *arguments[] = {&call};
 *     cudaLaunchCooperativeKernel((const void *)kernel_ranks, ...)
 *
 * Everything that host and device both touch while a kernel runs lies in
 * mapped host memory, has one writer, and is published with release and read
 * with acquire, at the scope of the system. */
#ifndef WORKERS_CUDA_KERNELS_H
#define WORKERS_CUDA_KERNELS_H

#include <stdint.h>

#include "base/dtype.h"
#include "run/rank_call.h"

/* Ranks on one GPU: block b of the grid is block b % nblocks of the rank that
 * ranks[b] says. */
struct kernel_call {
    struct rank_call ranks_call;
    struct rank *ranks;   /* [block of the grid] */
    struct rank_counter *const *counters; /* of each rank, [block] */
    const uint64_t *stop; /* not 0: give up */
    int64_t epoch_ns;     /* is added to the GPU's time */
    bool alone;           /* no other GPU has ranks */
    enum dtype type;
    enum redop op;
};

/* A GPU reports its time whenever the host asks, on a desk that both see. */
struct kernel_desk {
    uint64_t asked;    /* the number of questions so far */
    uint64_t stop;     /* not 0: give up */
    uint64_t answered; /* the number of answers */
    uint64_t time_ns;  /* of the last answer */
    uint64_t tick_ns;  /* the smallest step in which its time advances */
};

struct kernel_clock {
    struct kernel_desk *desk;
    uint64_t rounds;      /* questions that will be asked */
    uint64_t patience_ns; /* it gives up after this long without one */
};

#ifdef __CUDACC__
#define KERNEL extern "C" __global__
#define KERNEL_ARGUMENT(type) const __grid_constant__ type
#else
#define KERNEL extern
#define KERNEL_ARGUMENT(type) type
#endif

KERNEL void kernel_ranks(KERNEL_ARGUMENT(struct kernel_call) call);
KERNEL void kernel_clock_tell(KERNEL_ARGUMENT(struct kernel_clock) call);

#endif
