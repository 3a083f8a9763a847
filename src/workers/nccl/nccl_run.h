/* SPDX-License-Identifier: MIT */
/* Runs a schedule's transfers through NCCL: a process for each rank, as NCCL
 * programs usually have, on the available GPUs (placement.h).  If there are
 * more ranks than GPUs they share them (nccl_share.h).
 *
 * This process touches neither CUDA nor NCCL.  It forks the ranks, sends them
 * through pipes how far to go, and reads their progress in shared memory.  A
 * rank that fails leaves the reason there; one that dies is found dead.
 *
 * Times are the host's.  An event lasts from the moment its step's group is
 * handed to NCCL until the step's works are done; NCCL does not report what
 * happens in between. */
#ifndef WORKERS_NCCL_NCCL_RUN_H
#define WORKERS_NCCL_NCCL_RUN_H

#include "run/machine.h"

/* Runs each step once, and always watched: a run does not begin again. */
extern const struct machine machine_nccl;

#endif
