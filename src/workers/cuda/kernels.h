/* SPDX-License-Identifier: MIT */
/* What the host and its kernels (workers/cuda/kernels.cu) have in common.  Kernels
 * are launched by their names:
 *
 *     void *arguments[] = {&call};
 *     cudaLaunchCooperativeKernel((const void *)kernel_ranks, ...)
 *
 * Everything that host and device both touch while a kernel runs lies in
 * mapped host memory, has one writer, and is published with release and read
 * with acquire, at the scope of the whole system. */
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
    const uint64_t *stop; /* not 0: give up */
    int64_t epoch_ns;     /* to be added to the GPU's time */
    enum dtype type;
    enum redop op;
};

/* A GPU tells its time when it is asked. */
struct kernel_clock {
    const uint64_t *asked; /* how often so far */
    uint64_t *answered;
    uint64_t *time_ns; /* of the last answer */
    uint64_t *tick_ns; /* the least by which its time goes on */
    uint64_t rounds;
    const uint64_t *stop;
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
