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
        .nranks = nranks, .nslots = nslots,
        .there = mem_new(n, sizeof *g->there),
        .here = mem_new(n, sizeof *g->here),
        .ranks = mem_new((size_t)nranks, sizeof *g->ranks),
    };
}

void
gpu_slots_done(struct gpu_slots *g)
{
    for (int rank = 0; rank < g->nranks; rank++)
        free(g->ranks[rank].here);
    free(g->ranks);
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
gpu_slots_place(struct gpu_slots *g, int rank, const bool *staged,
                int element, struct gpu_memory *m, struct err *err)
{
    struct gpu_slots_rank *r = &g->ranks[rank];
    size_t at = (size_t)rank * (size_t)g->nslots, mapped = 0, offset[2] = {0};
    struct rank_slot *there = g->there + at, *here = g->here + at;
    void *memory[2];

    for (int k = 0; k < g->nslots; k++)
        *(staged[k] ? &mapped : &r->bytes) += padded(&there[k], element);
    if (!gpu_memory_device(m, r->bytes, &memory[false], err) ||
        !gpu_memory_mapped(m, mapped, &memory[true], err))
        return false;
    r->there = memory[false];
    r->here = mem_new(r->bytes, 1);
    for (int k = 0; k < g->nslots; k++) {
        size_t *from = &offset[staged[k]];

        there[k].data = (unsigned char *)memory[staged[k]] + *from;
        here[k] = there[k];
        if (!staged[k])
            here[k].data = r->here + *from;
        *from += padded(&there[k], element);
    }
    return true;
}

bool
gpu_slots_send(const struct gpu_slots *g, int rank, struct err *err)
{
    const struct gpu_slots_rank *r = &g->ranks[rank];

    return cuda_ok(cudaMemcpy(r->there, r->here, r->bytes,
                              cudaMemcpyHostToDevice),
                   "copying inputs to the GPU", err);
}

bool
gpu_slots_fetch(const struct gpu_slots *g, int rank, struct err *err)
{
    const struct gpu_slots_rank *r = &g->ranks[rank];

    return cuda_ok(cudaMemcpy(r->here, r->there, r->bytes,
                              cudaMemcpyDeviceToHost),
                   "copying results from the GPU", err);
}
