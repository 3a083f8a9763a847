/* SPDX-License-Identifier: MIT */
#include "run/nccl_slices.h"

#include <string.h>

#include "base/bounds.h"

enum { STEPS = 8, STEP_BYTES = (4 << 20) / STEPS, UNIT = 16 };

struct nccl_cut
nccl_cut_of(const struct collective *c, size_t element_bytes)
{
    bool ring = strcmp(c->name, "allreduce") == 0 ||
                strcmp(c->name, "allgather") == 0 ||
                strcmp(c->name, "reduce-scatter") == 0;
    int steps = ring ? 4 : 1, slices = ring ? 2 : 1; /* of a chunk */

    return (struct nccl_cut){
        .chunk = (int64_t)steps * STEP_BYTES / (int64_t)element_bytes,
        .slices = slices, .ahead = STEPS * slices / steps};
}

int64_t
nccl_slices(const struct nccl_cut *c, int64_t length)
{
    int64_t chunks = length > 0 ? (length + c->chunk - 1) / c->chunk : 1;

    return chunks * c->slices;
}

int64_t
nccl_slice(const struct nccl_cut *c, int64_t length, int64_t i, int64_t *from)
{
    int64_t start = i / c->slices * c->chunk, units = UNIT * c->slices;
    int64_t end = least64(length, start + c->chunk);
    int64_t slice = (end - start + units - 1) / units * UNIT;

    slice = most64(slice, c->chunk / c->slices / 32);
    *from = least64(start + i % c->slices * slice, end);
    return least64(slice, end - *from);
}
