/* SPDX-License-Identifier: MIT */
/* The process of one rank: it has a GPU and a communicator, and runs the steps
 * that its commands ask for.  Never returns: the process ends when the commands
 * do, or after an error, which is in its post. */
#ifndef WORKERS_NCCL_NCCL_PROCESS_H
#define WORKERS_NCCL_NCCL_PROCESS_H

#include "workers/nccl/nccl_shared.h"

void nccl_process(const struct nccl_job *job, int rank, int commands)
    __attribute__((noreturn));

#endif
