/* SPDX-License-Identifier: MIT */
/* MPI's own collective on a run's input, to compare with: "MPI_Allreduce".
 *
 * The library chooses an algorithm, or it takes the one that the user has named
 * (mpi_choice_dup()).  Every rank runs it NATIVE_ROUNDS times, each time after
 * a barrier.  Its input and output are buffers of their own, in host memory,
 * even if the run is in place or on GPUs.  In a timed run (struct timing) it
 * runs once, then warms up and is timed as ours is, and in place it has one
 * buffer.  MPI has no average, so sums are divided afterwards, outside the
 * time. */
#ifndef WORKERS_MPI_MPI_NATIVE_H
#define WORKERS_MPI_MPI_NATIVE_H

#include "workers/mpi/mpi_world.h"

/* "MPI_Allreduce". Returns NULL, with the reason, if MPI cannot do that
 * collective on such an input. */
const char *mpi_native_name(const struct schedule *s, const struct input *in,
                            struct err *err);

/* Which algorithm MPI's own collectives take.
 *
 * Open MPI has names for them ("ring", "recursive_doubling"), which this reads
 * and sets through MPI's tool interface: the control variable of MPI_Allreduce
 * is coll_tuned_allreduce_algorithm.  A communicator keeps the choice that was
 * set when it was made. Other MPIs have no such variable. */
/* Call it before MPI_Init(): Open MPI reads then whether a choice may be made
 * later.  By itself this changes no choice. */
void mpi_choice_allow(void);

/* Whether MPI has an algorithm of this name for a function,
 * "MPI_Allreduce".  The error lists the names that it has. */
bool mpi_choice_known(const char *function, const char *algorithm,
                      struct err *err);

/* Makes a copy of a communicator, on which the function takes this algorithm.
 * To be called by all its processes. The caller frees the copy. */
bool mpi_choice_dup(MPI_Comm comm, const char *function,
                    const char *algorithm, MPI_Comm *copy, struct err *err);

#endif
