/* SPDX-License-Identifier: MIT */
#include "workers/mpi/mpi_carrier.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"

static bool
on_gpu(const struct mpi_seat *seat)
{
    return seat->gpu.name[0] != '\0';
}

/* NCCL tells GPUs of a host apart by their PCI bus. */
static bool
shares_gpu(const struct mpi_world *w, int rank)
{
    const struct mpi_seat *seat = &w->seats[rank];

    for (int other = 0; other < rank; other++)
        if (w->seats[other].host == seat->host &&
            strcmp(w->seats[other].gpu.bus, seat->gpu.bus) == 0)
            return true;
    return false;
}

static bool
nccl_can(const struct mpi_world *w)
{
    for (int rank = 0; rank < w->size; rank++) {
        const struct mpi_seat *seat = &w->seats[rank];
        if (!on_gpu(seat) || seat->gpu.nccl[0] == '\0' ||
            strcmp(seat->gpu.nccl, w->seats[0].gpu.nccl) != 0 ||
            shares_gpu(w, rank))
            return false;
    }
    return true;
}

enum mpi_carrier
mpi_carrier_of(const struct mpi_world *w, bool mismatched)
{
    if (!mismatched && nccl_can(w))
        return CARRIER_NCCL;
    for (int rank = 0; rank < w->size; rank++)
        if (on_gpu(&w->seats[rank]) && !w->seats[rank].gpu.cuda_aware)
            return CARRIER_HOST;
    return CARRIER_AWARE;
}

bool
mpi_carrier_needed(const struct mpi_world *w)
{
    int rank = 0;

    while (rank < w->size && !on_gpu(&w->seats[rank]))
        rank++;
    return rank < w->size;
}

void
mpi_carrier_describe(const struct mpi_world *w, enum mpi_carrier carrier,
                     int rank, char name[RUN_NAME_MAX])
{
    const struct mpi_seat *seat = &w->seats[rank];
    struct buf text = {0};
    char library[64];

    mpi_world_library(library, sizeof library);
    buf_addf(&text, "%s, ", seat->host_name);
    if (!on_gpu(seat))
        buf_puts(&text, library);
    else if (carrier == CARRIER_NCCL)
        buf_addf(&text, "NCCL %s, ", seat->gpu.nccl);
    else if (carrier == CARRIER_AWARE)
        buf_addf(&text, "CUDA-aware %s, ", library);
    else
        buf_addf(&text, "%s through host memory, ", library);
    buf_puts(&text, seat->gpu.name);
    snprintf(name, RUN_NAME_MAX, "%s", buf_text(&text));
    buf_done(&text);
}
