/* SPDX-License-Identifier: MIT */
/* The kernels of the fake GPU (cuda_runtime_api.h): the same rank machine, on
 * a thread of this process. */
#ifndef FAKE_KERNELS_H
#define FAKE_KERNELS_H

#include <stdbool.h>

#include "workers/cuda/kernels.h"
#include "workers/nccl/nccl_kernel.h"

struct fake_launch {
    const void *function;
    int gpu, blocks;
    bool hangs, last_first, done;
    struct kernel_call ranks;
    struct kernel_clock clock;
    struct nccl_kernel_work work;
};

/* Copies a launch's argument, as CUDA does. False where the kernel would touch
 * memory that its GPU does not reach. */
bool fake_kernel_takes(struct fake_launch *launch, const void *argument);

/* Runs it to its end. */
void fake_kernel(struct fake_launch *launch);

bool fake_reaches(int gpu, const void *address);

/* nccl_kernel, on the host. */
void fake_work(const struct nccl_kernel_work *work);

#endif
