/* SPDX-License-Identifier: MIT */
/* MPI for tests/collviz-mpi, whose GPUs are fakes (tests/fake_cuda): it refuses
 * to read or write their memory, unless it is CUDA-aware.
 *
 *     FAKE_MPI_AWARE=1     it is */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake_cuda/fake_stream.h"

/* The same name as in MPI's library, whose answer is never yes here. */
int MPIX_Query_cuda_support(void);

int
MPIX_Query_cuda_support(void)
{
    const char *aware = getenv("FAKE_MPI_AWARE");

    return aware != NULL && atoi(aware) == 1;
}

static int
refuses(const void *memory)
{
    if (!fake_is_on_gpu(memory) || MPIX_Query_cuda_support())
        return 0;
    fprintf(stderr, "collviz-mpi: MPI was given memory of a GPU\n");
    return 1;
}

int
MPI_Isend(const void *from, int count, MPI_Datatype type, int to, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    return refuses(from)
               ? MPI_ERR_BUFFER
               : PMPI_Isend(from, count, type, to, tag, comm, request);
}

int
MPI_Irecv(void *to, int count, MPI_Datatype type, int from, int tag,
          MPI_Comm comm, MPI_Request *request)
{
    return refuses(to)
               ? MPI_ERR_BUFFER
               : PMPI_Irecv(to, count, type, from, tag, comm, request);
}
