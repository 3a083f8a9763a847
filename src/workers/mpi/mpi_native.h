/* SPDX-License-Identifier: MIT */
/* MPI's own collective on a run's input, to compare with: "MPI_Allreduce".
 *
 * The library chooses an algorithm, or it takes the one that the user has named
 * (mpi_choice.h).  Every rank runs it NATIVE_ROUNDS times, each time after a
 * barrier.  Its input and output are buffers of their own, in host memory, even
 * if the run is in place or on GPUs.  In a timed run (struct timing) it runs
 * once, then warms up and is timed as ours is, and in place it has one buffer.
 * MPI has no average, so sums are divided afterwards, outside the time. */
#ifndef WORKERS_MPI_MPI_NATIVE_H
#define WORKERS_MPI_MPI_NATIVE_H

#include "run/native.h"
#include "run/share.h"
#include "workers/mpi/mpi_world.h"

/* "MPI_Allreduce". Returns NULL, with the reason, if MPI cannot do that
 * collective on such an input. */
const char *mpi_native_name(const struct schedule *s, const struct input *in,
                            struct err *err);

/* To be called by all ranks of a run with a name.  `algorithm`: "" for the
 * library's choice.  Returns a struct native_times and the output after it, its
 * chunks in a row: *length bytes, which the caller frees; or NULL, with the
 * reason. */
void *mpi_native_run(const struct mpi_world *w, const struct share *s,
                     const char *algorithm, size_t *length, struct err *err);

#endif
