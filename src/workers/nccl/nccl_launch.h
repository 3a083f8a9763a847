/* SPDX-License-Identifier: MIT */
/* Launches works of schedule/message_plan.h on a GPU, as nccl_kernel.
 *
 *     struct nccl_kernel_work work = {.op = WORK_COPY, ...};
 *     if (!nccl_launch(&work, stream, &err)) */
#ifndef WORKERS_NCCL_NCCL_LAUNCH_H
#define WORKERS_NCCL_NCCL_LAUNCH_H

#include <cuda_runtime_api.h>

#include "base/err.h"
#include "workers/nccl/nccl_kernel.h"

/* Loads the kernel to the current GPU, or compiles it there, which takes long.
 * Without this the first launch does. */
bool nccl_load_kernel(struct err *err);

/* Puts a work into the stream, which must be of the current GPU. */
bool nccl_launch(const struct nccl_kernel_work *work, cudaStream_t stream,
                 struct err *err);

#endif
