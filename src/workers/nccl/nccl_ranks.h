/* SPDX-License-Identifier: MIT */
/* The processes of all ranks, as seen by who forks them: a pipe to each, on
 * which commands go, and its post in shared memory, where it says how far it is
 * (nccl_shared.h).  A rank that fails says why there; one that dies is found
 * dead.  Either way the others, who wait for it, are for the caller to end.
 *
 *     struct nccl_ranks ranks;
 *     nccl_ranks_init(&ranks, &job);
 *     nccl_ranks_start(&ranks, &err)              until all are ready
 *     nccl_ranks_command(&ranks, 3, &err)         up to step 3
 *     while (nccl_ranks_look(&ranks, NCCL_POST_READY + 4, &all, &err) && !all)
 *     nccl_ranks_done(&ranks); */
#ifndef WORKERS_NCCL_NCCL_RANKS_H
#define WORKERS_NCCL_NCCL_RANKS_H

#include <sys/types.h>

#include "workers/nccl/nccl_shared.h"

struct nccl_ranks {
    const struct nccl_job *job;
    pid_t *pids;   /* by rank; 0: none, or has been waited for */
    int *commands; /* by rank: a pipe's end; -1: none */
    uint64_t asked; /* FETCH and COMPARE */
};

void nccl_ranks_init(struct nccl_ranks *r, const struct nccl_job *job);

/* Ends them, wherever they are. */
void nccl_ranks_done(struct nccl_ranks *r);

/* This process must not have touched CUDA: that does not survive a fork. */
bool nccl_ranks_start(struct nccl_ranks *r, struct err *err);

bool nccl_ranks_command(struct nccl_ranks *r, int32_t what, struct err *err);

/* A command that is answered, until all have. */
bool nccl_ranks_ask(struct nccl_ranks *r, int32_t what, struct err *err);

/* *all: whether every rank has come to `want`. False where one has failed. */
bool nccl_ranks_look(struct nccl_ranks *r, int want, bool *all,
                     struct err *err);

#endif
