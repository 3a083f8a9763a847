/* SPDX-License-Identifier: MIT */
/* In place of mpi_gpu.c in programs without CUDA. */
#include "workers/mpi/mpi_world.h"

void
mpi_gpu_find(int local, struct mpi_gpu_seat *seat)
{
    (void)local, (void)seat;
}

/* Never called, since no GPU was found. */
bool
mpi_gpu_join(const struct mpi_world *w, struct message_rank *r,
             enum gpu_way way, struct err *err)
{
    (void)w, (void)r, (void)way, (void)err;
    return false;
}
