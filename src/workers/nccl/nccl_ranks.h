/* SPDX-License-Identifier: MIT */
/* The processes of all ranks, as their parent sees them: a pipe to each for
 * commands, and a post of each in shared memory for its progress
 * (nccl_shared.h).  A rank that fails leaves the reason in its post; one that
 * dies is found dead.  In both cases the others wait for it, and the caller
 * must end them.
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
    pid_t *pids;   /* by rank; 0: none, or after waitpid() */
    int *commands; /* by rank: the writing end of a pipe; -1: none */
    uint64_t asked; /* number of commands below 0 */
};

void nccl_ranks_init(struct nccl_ranks *r, const struct nccl_job *job);

/* Kills the ranks, whatever they are doing. */
void nccl_ranks_done(struct nccl_ranks *r);

/* This process must not have touched CUDA: that does not survive a fork. */
bool nccl_ranks_start(struct nccl_ranks *r, struct err *err);

bool nccl_ranks_command(struct nccl_ranks *r, int32_t what, struct err *err);

/* Sends a command that is answered, and waits until all ranks have. */
bool nccl_ranks_ask(struct nccl_ranks *r, int32_t what, struct err *err);

/* Sets *all if every rank has reached the state `needed`.  Returns false if a
 * rank has failed. */
bool nccl_ranks_look(struct nccl_ranks *r, int needed, bool *all,
                     struct err *err);

#endif
