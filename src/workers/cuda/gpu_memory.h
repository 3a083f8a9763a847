/* SPDX-License-Identifier: MIT */
/* Memory for GPUs, which is freed all at once:
 *
 *     struct gpu_memory m = {0};
 *     if (!gpu_memory_device(&m, size, &payload, &err)) ...
 *     gpu_memory_done(&m);
 *
 * It is on the current GPU, or on the host and mapped for all GPUs at the same
 * address as here. */
#ifndef WORKERS_CUDA_GPU_MEMORY_H
#define WORKERS_CUDA_GPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct gpu_memory {
    struct gpu_held *held;
    size_t count, capacity;
};

/* Not zeroed. */
bool gpu_memory_device(struct gpu_memory *m, size_t bytes, void **memory,
                       struct err *err);

/* On the host, zeroed. */
bool gpu_memory_mapped(struct gpu_memory *m, size_t bytes, void **memory,
                       struct err *err);

/* On the current GPU, with a copy of the bytes at `from`. */
bool gpu_memory_upload(struct gpu_memory *m, const void *from, size_t bytes,
                       void **memory, struct err *err);

/* Frees one piece early; NULL is allowed. */
void gpu_memory_free(struct gpu_memory *m, const void *memory);
void gpu_memory_done(struct gpu_memory *m);

#endif
