/* SPDX-License-Identifier: MIT */
/* Runs a program on GPUs: ranks are thread blocks, several a rank.
 *
 * What was granted is one cooperative launch on each GPU that has ranks; it
 * ends by itself, so in lockstep no kernel ever waits for a person.  In a
 * watched run, events come into mapped host memory while kernels run.  After
 * the last step, a grant begins again on whatever data is there.
 *
 * A rank's slots lie in the memory of its GPU, but those that some GPU without
 * peer access pulls from: they lie in mapped host memory (placement.h).
 * Counters and ledger do so only where several GPUs share them. */
#ifndef WORKERS_CUDA_GPU_RUN_H
#define WORKERS_CUDA_GPU_RUN_H

#include "run/machine.h"

extern const struct machine machine_gpu;

#endif
