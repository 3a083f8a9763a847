/* SPDX-License-Identifier: MIT */
#include "workers/cuda/gpu_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "workers/cuda/cuda_call.h"

struct gpu_held {
    void *memory;
    bool host;
};

static void
hold(struct gpu_memory *m, void *memory, bool host)
{
    m->held = mem_grow(m->held, m->count, &m->capacity, sizeof *m->held);
    m->held[m->count++] = (struct gpu_held){memory, host};
}

/* Programs without waits and runs without elements ask for 0 bytes; these
 * pieces too need an address of their own. */
static size_t
at_least_one(size_t bytes)
{
    return bytes > 0 ? bytes : 1;
}

bool
gpu_memory_device(struct gpu_memory *m, size_t bytes, void **memory,
                  struct err *err)
{
    char doing[64];

    snprintf(doing, sizeof doing, "taking %.1f MiB on the GPU",
             (double)bytes / (1 << 20));
    if (!cuda_ok(cudaMalloc(memory, at_least_one(bytes)), doing, err))
        return false;
    hold(m, *memory, false);
    return true;
}

bool
gpu_memory_mapped(struct gpu_memory *m, size_t bytes, void **memory,
                  struct err *err)
{
    char doing[64];

    snprintf(doing, sizeof doing, "taking %.1f MiB of mapped host memory",
             (double)bytes / (1 << 20));
    if (!cuda_ok(cudaHostAlloc(memory, at_least_one(bytes),
                               cudaHostAllocMapped | cudaHostAllocPortable),
                 doing, err))
        return false;
    memset(*memory, 0, at_least_one(bytes));
    hold(m, *memory, true);
    return true;
}

bool
gpu_memory_upload(struct gpu_memory *m, const void *from, size_t bytes,
                  void **memory, struct err *err)
{
    return gpu_memory_device(m, bytes, memory, err) &&
           cuda_ok(cudaMemcpy(*memory, from, bytes, cudaMemcpyHostToDevice),
                   "copying to the GPU", err);
}

static void
release(const struct gpu_held *held)
{
    if (held->host)
        cudaFreeHost(held->memory);
    else
        cudaFree(held->memory);
}

void
gpu_memory_free(struct gpu_memory *m, const void *memory)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->held[i].memory == memory) {
            release(&m->held[i]);
            m->held[i] = m->held[--m->count];
            return;
        }
}

void
gpu_memory_done(struct gpu_memory *m)
{
    while (m->count > 0)
        release(&m->held[--m->count]);
    free(m->held);
    m->held = NULL;
}
