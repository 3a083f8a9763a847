/* SPDX-License-Identifier: MIT */
/* The addresses of slots on GPUs, and copies of their data in this process.
 *
 * Each slot begins on a boundary that suits 16-byte accesses. `there` has the
 * addresses that kernels use; `here` those of copies in this process, the same
 * for slots in mapped host memory.  The slots that are on a GPU are in one
 * piece of memory, there and here, so one copy takes all of them across. */
#ifndef WORKERS_CUDA_GPU_SLOTS_H
#define WORKERS_CUDA_GPU_SLOTS_H

#include "run/slot.h"
#include "workers/cuda/gpu_memory.h"

struct gpu_slots {
    int nslots;
    struct rank_slot *there, *here; /* [rank * nslots + slot] */
};

/* The slots that are on one GPU. */
struct gpu_image {
    size_t bytes;
    unsigned char *there, *here;
};

/* Makes slots without memory. The caller fills in their lengths, in `there`. */
void gpu_slots_init(struct gpu_slots *g, int nranks, int nslots);
void gpu_slots_done(struct gpu_slots *g);

/* Gives the slots of `nranks` ranks memory, from rank `first` on: of the host
 * where staged[rank * nslots + slot], else of the current GPU.  The caller
 * calls gpu_image_done(). */
bool gpu_slots_place(struct gpu_slots *g, int first, int nranks,
                     const bool *staged, int element, struct gpu_memory *m,
                     struct gpu_image *image, struct err *err);

/* Frees the copy in this process. */
void gpu_image_done(struct gpu_image *image);

/* Copies all slots from `here` to `there`, and back. */
bool gpu_image_send(const struct gpu_image *image, struct err *err);
bool gpu_image_fetch(const struct gpu_image *image, struct err *err);

#endif
