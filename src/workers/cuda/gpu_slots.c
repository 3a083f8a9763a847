/* SPDX-License-Identifier: MIT */
#include "workers/cuda/gpu_slots.h"

#include <stdlib.h>

#include "base/mem.h"
#include "workers/cuda/cuda_call.h"

enum { ALIGN = 256 }; /* bytes */

void
gpu_slots_init(struct gpu_slots *g, int nranks, int nslots)
{
    size_t n = (size_t)nranks * (size_t)nslots;

    *g = (struct gpu_slots){
        .nslots = nslots,
        .there = mem_new(n, sizeof *g->there),
        .here = mem_new(n, sizeof *g->here),
    };
}

void
gpu_slots_done(struct gpu_slots *g)
{
    free(g->there);
    free(g->here);
}

static size_t
padded(const struct rank_slot *slot, int element)
{
    size_t bytes = (size_t)slot->length * (size_t)element;

    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

bool
gpu_slots_place(struct gpu_slots *g, int first, int nranks,
                const bool *staged, int element, struct gpu_memory *m,
                struct gpu_image *image, struct err *err)
{
    size_t begin = (size_t)first * (size_t)g->nslots;
    size_t end = begin + (size_t)nranks * (size_t)g->nslots;
    size_t mapped = 0, offset[2] = {0};
    void *memory[2];

    for (size_t i = begin; i < end; i++)
        *(staged[i] ? &mapped : &image->bytes) += padded(&g->there[i], element);
    if (!gpu_memory_device(m, image->bytes, &memory[false], err) ||
        !gpu_memory_mapped(m, mapped, &memory[true], err))
        return false;
    image->there = memory[false];
    image->here = mem_new(image->bytes, 1);
    for (size_t i = begin; i < end; i++) {
        size_t *from = &offset[staged[i]];

        g->there[i].data = (unsigned char *)memory[staged[i]] + *from;
        g->here[i] = g->there[i];
        if (!staged[i])
            g->here[i].data = image->here + *from;
        *from += padded(&g->there[i], element);
    }
    return true;
}

void
gpu_image_done(struct gpu_image *image)
{
    free(image->here);
}

bool
gpu_image_send(const struct gpu_image *image, struct err *err)
{
    return cuda_ok(cudaMemcpy(image->there, image->here, image->bytes,
                              cudaMemcpyHostToDevice),
                   "copying inputs to the GPU", err);
}

bool
gpu_image_fetch(const struct gpu_image *image, struct err *err)
{
    return cuda_ok(cudaMemcpy(image->here, image->there, image->bytes,
                              cudaMemcpyDeviceToHost),
                   "copying results from the GPU", err);
}
