/* SPDX-License-Identifier: MIT */
/* A work of run/share.h as a kernel: on a slot and, if the GPU has
 * it, its ledger row.
 *
 *     void *arguments[] = {&work};
 *     cudaLaunchKernel((const void *)nccl_kernel, grid, block, arguments, ...)
 *
 * The grid may have any number of blocks, because none waits for another. */
#ifndef WORKERS_NCCL_NCCL_KERNEL_H
#define WORKERS_NCCL_NCCL_KERNEL_H

#include <cuda_runtime_api.h>

#include "base/dtype.h"
#include "base/err.h"
#include "event/ledger.h"
#include "run/share.h"
#include "workers/cuda/kernels.h"

struct nccl_kernel_work {
    enum work_op op;
    enum dtype type;
    enum redop redop;
    int nranks;
    int element; /* bytes */
    int64_t length;
    void *to;
    const void *add, *from;
    uint64_t *row_to; /* NULL: rows are elsewhere, or there are none */
    const uint64_t *row_add, *row_from;
    uint64_t *content; /* WORK_REPORT writes the slot's content here, without
                        * its row if that is elsewhere */
};

KERNEL void nccl_kernel(KERNEL_ARGUMENT(struct nccl_kernel_work) work);

/* Puts a work into a stream of the current GPU (gpu_rank.c). */
bool nccl_launch(const struct nccl_kernel_work *work, cudaStream_t stream,
                 struct err *err);

#endif
