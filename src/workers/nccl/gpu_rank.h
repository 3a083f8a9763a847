/* SPDX-License-Identifier: MIT */
/* A rank that passes messages (run/message_rank.h), with its slots on an NVIDIA
 * GPU, where they lie as they do in host memory, in one piece.  nccl_kernel.cu
 * does its works.  Everything is on one stream, in order.
 *
 *     g = gpu_rank_new(&rank, gpu->id, GPU_WAY_NCCL, false, &err)
 *     gpu_rank_join(g, &id, &err)               if NCCL carries its messages
 *
 * makes it rank.device, which message_rank_done() frees. */
#ifndef WORKERS_NCCL_GPU_RANK_H
#define WORKERS_NCCL_GPU_RANK_H

#include <cuda_runtime_api.h>

#include "workers/crew/crew.h"
#include "workers/cuda/cuda_call.h"
#include "workers/nccl/nccl_api.h"

struct gpu_rank {
    struct message_rank *r;
    enum gpu_way way;
    cudaStream_t stream;
    struct gpu_memory memory;
    unsigned char *slots, *rows; /* on the GPU */
    uint64_t *reports;           /* of a step; in mapped host memory */
    bool pinned;                 /* r->payloads are */
    struct nccl nccl;
    struct nccl_carrier carrier;
};

/* Starts to copy all slots to the GPU, and if `has_rows` their ledger rows,
 * which the messages then have to carry without a time.  `r` must be before
 * step 1.  Returns NULL on failure, with the reason. */
struct gpu_rank *gpu_rank_new(struct message_rank *r, int gpu,
                              enum gpu_way way, bool has_rows,
                              struct err *err);

/* Joins the ranks of a communicator, for GPU_WAY_NCCL, and makes NCCL the
 * carrier of payloads.  Waits for all of them to do so.  g->nccl must be
 * open. */
bool gpu_rank_join(struct gpu_rank *g, struct nccl_id id, struct err *err);

/* Waits until the GPU has nothing left to do. */
bool gpu_rank_wait(struct gpu_rank *g, struct err *err);

#endif
