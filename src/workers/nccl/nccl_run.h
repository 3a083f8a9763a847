/* SPDX-License-Identifier: MIT */
/* Runs a schedule's transfers through NCCL: a process for each rank, as NCCL
 * programs usually have, on as many GPUs as there are (placement.h); where
 * ranks outnumber GPUs they share them (nccl_share.h).
 *
 * This process touches neither CUDA nor NCCL. It forks the ranks, tells them
 * through pipes how far to go, and reads in memory that all of them share what
 * they have done; a rank that fails or dies says why there, or is found dead.
 *
 * Times are the host's: an event lasts
 * from when its step's group is handed to NCCL until the step's works are done,
 * for what is in between is NCCL's own. */
#ifndef WORKERS_NCCL_NCCL_RUN_H
#define WORKERS_NCCL_NCCL_RUN_H

#include "run/machine.h"

/* Watched runs only, whose steps are granted once: a run does not begin
 * again. */
extern const struct machine machine_nccl;

#endif
