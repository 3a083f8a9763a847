/* SPDX-License-Identifier: MIT */
#include "workers/mpi/mpi_call.h"

bool
mpi_ok(int code, const char *what, struct err *err)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;

    if (code == MPI_SUCCESS)
        return true;
    MPI_Error_string(code, text, &length);
    return err_set(err, "%s: %s", what, text);
}
