/* SPDX-License-Identifier: MIT */
/* CUDA's calls, checked:
 *
 *     return cuda_ok(cudaMalloc(&p, size), "memory on the GPU", err);
 */
#ifndef WORKERS_CUDA_CUDA_CALL_H
#define WORKERS_CUDA_CUDA_CALL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Whether a call succeeded. If not, *err says what was being done, what went
 * wrong, and what to do about it. */
bool cuda_ok(cudaError_t error, const char *doing, struct err *err);

/* Memory for GPUs, which is freed all at once:
 *
 *     struct gpu_memory m = {0};
 *     payload = gpu_memory_device(&m, size, &err);
 *     table = gpu_memory_upload(&m, here, length, &err);
 *     if (m.failed) ...
 *     gpu_memory_done(&m);
 *
 * It is on the current GPU, or on the host and mapped for all GPUs at the same
 * address as here.  After a failure, which *err explains, all calls return NULL
 * and do nothing. */

struct gpu_memory {
    struct gpu_held *held;
    size_t count, capacity;
    bool failed;
};

/* Not zeroed. */
void *gpu_memory_device(struct gpu_memory *m, size_t bytes, struct err *err);

/* On the host, zeroed. */
void *gpu_memory_mapped(struct gpu_memory *m, size_t bytes, struct err *err);

/* On the current GPU, with a copy of the bytes at `from`. */
void *gpu_memory_upload(struct gpu_memory *m, const void *from, size_t bytes,
                        struct err *err);

/* Frees one piece early; NULL is allowed. */
void gpu_memory_free(struct gpu_memory *m, const void *memory);
void gpu_memory_done(struct gpu_memory *m);

#endif
