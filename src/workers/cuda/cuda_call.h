/* SPDX-License-Identifier: MIT */
/* CUDA's calls, checked:
 *
 *     return cuda_ok(cudaMalloc(&p, size), "memory on the GPU", err);
 */
#ifndef WORKERS_CUDA_CUDA_CALL_H
#define WORKERS_CUDA_CUDA_CALL_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "base/err.h"

/* Whether a call succeeded. If not, *err says what was being done, what went
 * wrong, and what to do about it. */
bool cuda_ok(cudaError_t error, const char *doing, struct err *err);

#endif
