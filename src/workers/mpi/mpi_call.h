/* SPDX-License-Identifier: MIT */
/* MPI's return codes as errors. Communicators must return them
 * (MPI_ERRORS_RETURN). */
#ifndef WORKERS_MPI_MPI_CALL_H
#define WORKERS_MPI_MPI_CALL_H

#include <mpi.h>

#include "base/err.h"

/* `what` is the call, for the message: "MPI_Isend: no memory left". */
bool mpi_ok(int code, const char *what, struct err *err);

#endif
