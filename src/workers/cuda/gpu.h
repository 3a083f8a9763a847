/* SPDX-License-Identifier: MIT */
/* The GPUs that can run ranks, and which of them reach each other's memory. */
#ifndef WORKERS_CUDA_GPU_H
#define WORKERS_CUDA_GPU_H

#include <stdbool.h>

#include "base/err.h"
#include "event/event.h"

enum { GPUS_MAX = 16, GPU_NAME_MAX = 64 };

struct gpu {
    int id; /* CUDA's */
    char name[GPU_NAME_MAX]; /* "NVIDIA H200 0000:1b:00.0" */
    int multiprocessors;
};

struct gpus {
    int count;
    struct gpu gpu[GPUS_MAX];
};

/* Finds them, in CUDA's order.  Of GPUs that are cut into MIG devices, CUDA
 * shows a process one device only.  Returns false, with the reason, if no GPU
 * can run ranks. */
bool gpus_find(struct gpus *gpus, struct err *err);

/* Whether CUDA says that one can read another's memory, once that is
 * enabled. */
bool gpu_reaches(const struct gpu *from, const struct gpu *to, bool *reaches,
                 struct err *err);

/* Lets the first `n` GPUs read each other's memory, where that works, and sets
 * reach[a * n + b]: whether a can read b's.  Each pair is tried with 4 KiB. */
bool gpus_connect(const struct gpus *gpus, int n, bool *reach,
                  struct err *err);

#endif
