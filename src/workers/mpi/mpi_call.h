/* SPDX-License-Identifier: MIT */
/* MPI's return codes as errors, for communicators that return them
 * (MPI_ERRORS_RETURN); and how long a message may be. */
#ifndef WORKERS_MPI_MPI_CALL_H
#define WORKERS_MPI_MPI_CALL_H

#include <mpi.h>

#include "base/err.h"

/* The most bytes of one message, since MPI counts in int.  Sender and receiver
 * cut longer ones at the same places. */
#ifndef MPI_PIECE_BYTES /* tests take less */
#define MPI_PIECE_BYTES (1 << 30)
#endif

/* `what` is the call, for the message: "MPI_Isend: no memory left". */
bool mpi_ok(int code, const char *what, struct err *err);

#endif
