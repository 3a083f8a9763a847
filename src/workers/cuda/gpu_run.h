/* SPDX-License-Identifier: MIT */
/* Runs a program on GPUs: a rank is one or several thread blocks.
 *
 * A grant is one cooperative launch on each GPU that has ranks.  The kernel
 * ends by itself, so in lockstep no kernel ever waits for a person.  In a
 * watched run events arrive in mapped host memory while kernels run.  A grant
 * after the last step starts over, on the data that is there.
 *
 * A rank's slots lie in the memory of its GPU, except those that a GPU without
 * peer access pulls from, which lie in mapped host memory (placement.h).
 * Counters lie on their rank's GPU if all GPUs reach each other, else in mapped
 * host memory; so does the ledger where there are several GPUs. */
#ifndef WORKERS_CUDA_GPU_RUN_H
#define WORKERS_CUDA_GPU_RUN_H

#include "run/machine.h"

extern const struct machine machine_gpu;

#endif
