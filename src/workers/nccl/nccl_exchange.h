/* SPDX-License-Identifier: MIT */
/* The messages of one step, as one NCCL group, of all ranks that live in this
 * process: one where each has a process of its own, all where one process has
 * several GPUs.
 *
 * What it puts on each rank's stream is to be followed there by the step's
 * works (nccl_plan.h); nothing here waits for a GPU.
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

/* False with what NCCL says; no group is left open then. */
bool nccl_exchange(const struct nccl *n, const struct message_plan *plan,
                   int step, const struct nccl_rank *ranks, int nranks,
                   struct err *err);

#endif
