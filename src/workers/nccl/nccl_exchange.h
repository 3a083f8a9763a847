/* SPDX-License-Identifier: MIT */
/* The messages of one step, as one NCCL group, for all ranks in this process:
 * one rank if each has its own process, all ranks if one process has several
 * GPUs.
 *
 * The caller then launches the step's works (schedule/message_plan.h) on each
 * rank's stream.  Nothing here waits for a GPU.
 *
 *     for (int step = 1; step <= nsteps; step++) {
 *         if (!nccl_exchange(&nccl, plan, step, ranks, nranks, &err))
 *             return false;
 *         launch the works of message_plan_step(plan, rank, step) on its stream
 *     } */
#ifndef WORKERS_NCCL_NCCL_EXCHANGE_H
#define WORKERS_NCCL_NCCL_EXCHANGE_H

#include "schedule/message_plan.h"
#include "workers/nccl/nccl_api.h"

struct nccl_rank {
    int rank;
    struct nccl_comm *comm;
    void *stream;
    unsigned char *const *slots; /* by slot: where its elements are */
    unsigned char *const *rows;  /* by slot: its ledger row; NULL: plain */
    size_t element; /* bytes */
    size_t row;     /* bytes */
};

/* Both return false on failure, with NCCL's message in *err; no group is left
 * open then. */
bool nccl_exchange(const struct nccl *n, const struct message_plan *plan,
                   int step, const struct nccl_rank *ranks, int nranks,
                   struct err *err);

/* The same for one rank, whose messages are in hand. */
bool nccl_exchange_step(const struct nccl *n, const struct message_step *s,
                        const struct nccl_rank *r, struct err *err);

#endif
