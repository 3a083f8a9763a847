/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_kernel.h"
#define LANES_PACKS 0 /* messages take longer than this kernel */
#include "workers/cuda/lanes.h"
#include "workers/cuda/placement.h"

static __device__ void
do_payload(const struct nccl_kernel_work *w, int thread, int threads)
{
    switch (w->op) {
    case WORK_COPY:
        lanes_move(w->to, w->from, w->length * w->element, thread, threads);
        break;
    case WORK_COMBINE:
        lanes_combine_any(w->type, w->redop, w->to, w->add, w->from,
                          w->length, thread, threads);
        break;
    case WORK_DIVIDE:
        lanes_divide_any(w->type, w->to, w->length, w->nranks, thread,
                         threads);
        break;
    default:
        break;
    }
}

/* The part of a work that one thread does: the ledger row and the report. */
static __device__ void
do_rest(const struct nccl_kernel_work *w)
{
    switch (w->op) {
    case WORK_COPY:
        if (w->row_to != NULL)
            ledger_copy(w->row_to, w->row_from, w->nranks);
        break;
    case WORK_COMBINE:
        if (w->row_to != NULL)
            ledger_add(w->row_to, w->row_add, w->row_from, w->nranks);
        break;
    case WORK_SPOIL:
        if (w->length > 0)
            lanes_corrupt_any(w->type, w->redop, w->to);
        break;
    case WORK_REPORT:
        content_copy(w->content, w->row_to, w->nranks,
                     (const unsigned char *)w->to, w->length, w->element);
        break;
    default:
        break;
    }
}

KERNEL __launch_bounds__(LAUNCH_THREADS) void
nccl_kernel(KERNEL_ARGUMENT(struct nccl_kernel_work) work)
{
    int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);

    do_payload(&work, thread, (int)(gridDim.x * blockDim.x));
    if (thread == 0)
        do_rest(&work);
}
