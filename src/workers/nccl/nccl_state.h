/* SPDX-License-Identifier: MIT */
/* What the process of a rank consists of, for the files that make it work:
 *
 *     nccl_process.c   joins, obeys, ends
 *     nccl_step.c      a step: its group, its works, what they tell
 *     nccl_compare.c   NCCL's own collective, to compare with */
#ifndef WORKERS_NCCL_NCCL_STATE_H
#define WORKERS_NCCL_NCCL_STATE_H

#include "workers/cuda/gpu_memory.h"
#include "workers/nccl/nccl_exchange.h"
#include "workers/nccl/nccl_native.h"
#include "workers/nccl/nccl_shared.h"

/* NCCL's own collective, on memory of its own. */
struct nccl_own {
    struct nccl_native call;
    void *input;    /* as it was at the begin */
    void *from, *to; /* in place the same */
};

struct nccl_process {
    const struct nccl_job *job;
    int rank;
    struct nccl_post *post; /* its own */
    struct nccl nccl;
    struct nccl_rank self; /* its communicator, stream, slots and rows */
    size_t element, row; /* bytes of one */
    struct gpu_memory memory;
    unsigned char **data, **rows; /* by slot: on the GPU */
    uint64_t *contents; /* on the GPU: what a step tells */
    struct nccl_own own;
    int step;                    /* done */
    uint64_t nevents, ncontents; /* so far */
};

/* Until its stream is empty, napping or not. False where it, or a peer, fails:
 * a peer that is lost shows in no stream. */
bool nccl_wait(const struct nccl_process *me, bool naps, struct err *err);

/* Slots that one step can tell at most. */
size_t nccl_most_told(const struct nccl_process *me);

/* Does a step, and logs what happened; nsteps + 1 is the division. */
bool nccl_do_step(struct nccl_process *me, int step, struct err *err);

/* Whether there is an own collective; makes room for it. */
bool nccl_compare_prepare(struct nccl_process *me, struct err *err);

/* Runs it some times, times it, and leaves its output in shared memory. */
bool nccl_compare(struct nccl_process *me, struct err *err);

#endif
