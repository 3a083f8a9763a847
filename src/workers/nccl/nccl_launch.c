/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_kernel.h"

#include "workers/cuda/cuda_call.h"
#include "workers/cuda/placement.h"

enum { BLOCKS_MAX = 512 /* per work: enough to keep a GPU busy */ };

static unsigned
blocks_for(int64_t bytes)
{
    int64_t blocks = (bytes + LAUNCH_FEED - 1) / LAUNCH_FEED;

    return blocks > BLOCKS_MAX ? BLOCKS_MAX : blocks > 0 ? (unsigned)blocks : 1;
}

bool
nccl_load_kernel(struct err *err)
{
    struct cudaFuncAttributes ignored;

    return cuda_ok(cudaFuncGetAttributes(&ignored, (const void *)nccl_kernel),
                   "loading the kernel", err);
}

bool
nccl_launch(const struct nccl_kernel_work *work, cudaStream_t stream,
            struct err *err)
{
    void *arguments[] = {(void *)work};
    dim3 grid = {blocks_for(work->length * work->element), 1, 1};
    dim3 block = {LAUNCH_THREADS, 1, 1};

    return cuda_ok(cudaLaunchKernel((const void *)nccl_kernel, grid, block,
                                    arguments, 0, stream),
                   "adding up on the GPU", err);
}
