/* SPDX-License-Identifier: MIT */
/* The GPUs that can run ranks, and which of them reach each other's memory. */
#ifndef WORKERS_CUDA_GPU_H
#define WORKERS_CUDA_GPU_H

#include <stdbool.h>

#include "base/err.h"
#include "event/event.h"

enum { GPUS_MAX = 16, GPU_NAME_MAX = 96, GPU_BUS_MAX = 32 };

/* A GPU, or a MIG device: a part of a GPU that CUDA shows as a device.  It has
 * the bus of its GPU, a UUID of its own, and no peer access to other parts. */
struct gpu {
    int id; /* CUDA's */
    char name[GPU_NAME_MAX]; /* "NVIDIA H200 0000:1b:00.0"; of a MIG device
                              * with the first digits of its UUID */
    char bus[GPU_BUS_MAX];   /* "0000:1b:00.0" */
    int multiprocessors;
    bool is_mig;
};

struct gpus {
    int count;
    struct gpu gpu[GPUS_MAX];
};

/* Finds them, in CUDA's order.  Of all MIG devices CUDA shows a process only
 * one.  Returns false, with the reason, if no GPU
 * can run ranks. */
bool gpus_find(struct gpus *gpus, struct err *err);

/* How many GPUs the first `n` belong to: MIG devices may belong to the same. */
int gpus_boards(const struct gpus *gpus, int n);

/* Whether CUDA says that one can read another's memory, once that is
 * enabled. */
bool gpu_reaches(const struct gpu *from, const struct gpu *to, bool *reaches,
                 struct err *err);

/* Lets the first `n` GPUs read each other's memory, where that works, and sets
 * reach[a * n + b]: whether a can read b's.  Each pair is tried with 4 KiB. */
bool gpus_connect(const struct gpus *gpus, int n, bool *reach,
                  struct err *err);

#endif
