/* SPDX-License-Identifier: MIT */
/* The addresses of slots on GPUs, and copies of their data in this process.
 *
 * Each slot begins on a boundary that suits 16-byte accesses. `there` has the
 * addresses that kernels use; `here` those of copies in this process, the same
 * for slots in mapped host memory. */
#ifndef WORKERS_CUDA_GPU_SLOTS_H
#define WORKERS_CUDA_GPU_SLOTS_H

#include "run/slot.h"
#include "workers/cuda/gpu_memory.h"

struct gpu_slots {
    int nranks, nslots;
    struct rank_slot *there, *here; /* [rank * nslots + slot] */
    struct gpu_slots_rank {
        size_t bytes;          /* of its slots on the GPU */
        unsigned char *there, *here;
    } *ranks;
};

/* Makes slots without memory. The caller fills in their lengths, in `there`. */
void gpu_slots_init(struct gpu_slots *g, int nranks, int nslots);
void gpu_slots_done(struct gpu_slots *g);

/* Gives a rank's slots memory: of the host where staged[slot], else of the
 * current GPU. */
bool gpu_slots_place(struct gpu_slots *g, int rank, const bool *staged,
                     int element, struct gpu_memory *m, struct err *err);

/* Copies all slots from `here` to `there`, and back. */
bool gpu_slots_send(const struct gpu_slots *g, int rank, struct err *err);
bool gpu_slots_fetch(const struct gpu_slots *g, int rank, struct err *err);

#endif
