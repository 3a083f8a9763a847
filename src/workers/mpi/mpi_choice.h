/* SPDX-License-Identifier: MIT */
/* Which algorithm MPI's own collectives take.
 *
 * Open MPI has names for them ("ring", "recursive_doubling"), which this reads
 * and sets through MPI's tool interface: the control variable of MPI_Allreduce
 * is coll_tuned_allreduce_algorithm.  A communicator keeps the choice that was
 * set when it was made. Other MPIs have no such variable. */
#ifndef WORKERS_MPI_MPI_CHOICE_H
#define WORKERS_MPI_MPI_CHOICE_H

#include <mpi.h>

#include "base/err.h"

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
