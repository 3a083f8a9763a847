/* SPDX-License-Identifier: MIT */
/* Times calls of a plain run: every rank carries out its share again and again,
 * and does nothing else meanwhile. */
#ifndef WORKERS_MPI_MPI_TIME_H
#define WORKERS_MPI_MPI_TIME_H

#include "workers/mpi/mpi_rank.h"

/* Runs all steps `calls` times in a row, from when all ranks have come here.
 * *ns is the time of all calls on this rank, until its own last one is over;
 * returns once all ranks have come that far.  To be called by all ranks, which
 * must be at rest. */
bool mpi_time_calls(struct mpi_rank *r, int64_t calls, int64_t *ns,
                    struct err *err);

#endif
