/* SPDX-License-Identifier: MIT */
/* What carries messages between ranks on GPUs.  It is the same for all ranks of
 * a run, and the best that all of them can do:
 *
 *     NCCL            if each rank has a GPU of its own, and the same NCCL
 *     CUDA-aware MPI  reads and writes the GPUs' memory itself
 *     MPI             through host memory
 *
 * NCCL does not take a mismatched run: it does not report a message that is
 * longer than what its receiver expects.  Ranks in host memory are MPI's
 * anyway. */
#ifndef WORKERS_MPI_MPI_CARRIER_H
#define WORKERS_MPI_MPI_CARRIER_H

#include "event/event.h"
#include "workers/mpi/mpi_world.h"

enum mpi_carrier { CARRIER_HOST, CARRIER_AWARE, CARRIER_NCCL };

enum mpi_carrier mpi_carrier_of(const struct mpi_world *w, bool mismatched);

/* Whether some rank has a GPU. */
bool mpi_carrier_needed(const struct mpi_world *w);

/* Describes where a rank runs: host, carrier, GPU. "cv1, NCCL 2.28.9, NVIDIA
 * H200 0000:1b:00.0"; in host memory "cv1, Open MPI 4.1.4". */
void mpi_carrier_describe(const struct mpi_world *w, enum mpi_carrier carrier,
                          int rank, char name[RUN_NAME_MAX]);

#endif
