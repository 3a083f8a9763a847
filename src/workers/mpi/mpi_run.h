/* SPDX-License-Identifier: MIT */
/* MPI processes as a machine: rank 0's process, which is the one that collviz
 * talks to, shares out what the ranks do, lets them go on, and collects what
 * they report.  It is one of the ranks itself. */
#ifndef WORKERS_MPI_MPI_RUN_H
#define WORKERS_MPI_MPI_RUN_H

#include "run/machine.h"
#include "workers/mpi/mpi_world.h"

/* The processes that runs of this machine use, which must outlive them: a
 * machine's functions have no argument for it. */
void mpi_run_on(struct mpi_world *w);

/* Watched runs only, whose steps are granted once: a run does not begin
 * again. */
extern const struct machine machine_mpi;

#endif
