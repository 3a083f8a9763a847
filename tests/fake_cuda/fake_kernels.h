/* SPDX-License-Identifier: MIT */
/* The kernels of the fake GPU (cuda_runtime_api.h): the same rank machine, run
 * by a thread of this process. */
#ifndef FAKE_KERNELS_H
#define FAKE_KERNELS_H

#include <stdbool.h>

#include "workers/cuda/kernels.h"
#include "workers/nccl/nccl_kernel.h"

struct fake_launch {
    const void *function;
    int gpu, blocks, threads;
    bool hangs, last_first, done;
    struct kernel_call ranks;
    struct kernel_clock clock;
    struct nccl_kernel_work work;
};

static inline bool
fake_is_clock(const struct fake_launch *l)
{
    return l->function == (const void *)kernel_clock_tell;
}

static inline bool
fake_is_work(const struct fake_launch *l)
{
    return l->function == (const void *)nccl_kernel;
}

/* Copies a launch's argument, as CUDA does. Returns false if the kernel would
 * touch memory that its GPU does not reach. */
bool fake_kernel_takes(struct fake_launch *launch, const void *argument);

/* Runs a launch to its end, by run/rank.h. tests/ptx has another fake_kernel(),
 * which runs the kernel's PTX. */
void fake_kernel(struct fake_launch *launch);

bool fake_reaches(int gpu, const void *address);

/* Memory that a GPU reaches. */
struct fake_memory {
    const void *from;
    size_t bytes;
    bool on_host;
};

/* Finds the memory that an address lies in. */
bool fake_finds(int gpu, const void *address, struct fake_memory *memory);

/* A GPU's time, which differs from the host's and advances in ticks. */
int64_t fake_time(int gpu);

/* nccl_kernel, on the host. */
void fake_work(const struct nccl_kernel_work *work);

#endif
