/* SPDX-License-Identifier: MIT */
/* The process of one rank: a GPU, a communicator, and the steps that it is
 * told to do. It never returns: it ends when its commands do, or with
 * what went wrong in its post. */
#ifndef WORKERS_NCCL_NCCL_PROCESS_H
#define WORKERS_NCCL_NCCL_PROCESS_H

#include "workers/nccl/nccl_shared.h"

void nccl_process(const struct nccl_job *job, int rank, int commands)
    __attribute__((noreturn));

#endif
