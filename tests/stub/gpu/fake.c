/* SPDX-License-Identifier: MIT */
/* CUDA and NCCL for tests/lesson_code.test, by MPI: memory of the host for
 * that of a GPU, streams that are always done, MPI_Allreduce for NCCL's.
 *
 *     FAKE_GPUS=N        GPUs of the host; 8 where it is not set
 *     FAKE_FAIL=R:K      rank R's call number K fails, from 1
 *     FAKE_MISPLACE=R    rank R gets the halves of the result swapped
 *
 * When it is over, or aborted, each rank that has not given everything back
 * says so. */
#include <mpi.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls, alive, device = -1;

struct ncclComm {
    int nranks;
};

static int
my_rank(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static int
fails(void)
{
    const char *which = getenv("FAKE_FAIL");
    int rank, call;

    calls++;
    return which != NULL && sscanf(which, "%d:%d", &rank, &call) == 2 &&
           rank == my_rank() && call == calls;
}

static void *
made(size_t bytes)
{
    alive++;
    return malloc(bytes);
}

static void
gone(void *p)
{
    alive--;
    free(p);
}

static void
say_what_is_left(void)
{
    if (alive > 0)
        fprintf(stderr, "fake: rank %d has kept %d\n", my_rank(), alive);
}

int
MPI_Finalize(void)
{
    say_what_is_left();
    return PMPI_Finalize();
}

int
MPI_Abort(MPI_Comm comm, int status)
{
    say_what_is_left();
    return PMPI_Abort(comm, status);
}

const char *
cudaGetErrorString(cudaError_t error)
{
    return error == cudaSuccess ? "no error" : "fake CUDA error";
}

static cudaError_t
cuda(void)
{
    return fails() ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t
cudaGetDeviceCount(int *count)
{
    const char *gpus = getenv("FAKE_GPUS");

    *count = gpus != NULL ? atoi(gpus) : 8;
    return cuda();
}

cudaError_t
cudaSetDevice(int which)
{
    device = which;
    return cuda();
}

cudaError_t
cudaMalloc(void **memory, size_t bytes)
{
    if (fails())
        return cudaErrorMemoryAllocation;
    *memory = made(bytes);
    return cudaSuccess;
}

cudaError_t
cudaFree(void *memory)
{
    gone(memory);
    return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)kind;
    (void)stream;
    memcpy(to, from, bytes);
    return cuda();
}

cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    if (fails() || flags != cudaStreamNonBlocking)
        return cudaErrorMemoryAllocation;
    *stream = made(1);
    return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cuda();
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    gone(stream);
    return cudaSuccess;
}

const char *
ncclGetErrorString(ncclResult_t result)
{
    return result == ncclSuccess ? "no error" : "fake NCCL error";
}

ncclResult_t
ncclGetUniqueId(ncclUniqueId *id)
{
    memset(id, 0, sizeof *id);
    snprintf(id->internal, sizeof id->internal, "id of rank %d", my_rank());
    return fails() ? ncclSystemError : ncclSuccess;
}

/* Like NCCL, refuses ranks that share a GPU; and ranks with different ids, for
 * which NCCL would wait for ever. */
ncclResult_t
ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId id, int rank)
{
    ncclUniqueId ids = id;
    int mine = device, all = 0;

    if (fails())
        return ncclSystemError;
    MPI_Bcast(&ids, sizeof ids, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (memcmp(&ids, &id, sizeof id) != 0 || rank != my_rank() ||
        all != nranks * (nranks - 1) / 2)
        return ncclSystemError;
    *comm = made(sizeof **comm);
    (*comm)->nranks = nranks;
    return ncclSuccess;
}

ncclResult_t
ncclCommDestroy(ncclComm_t comm)
{
    gone(comm);
    return ncclSuccess;
}

ncclResult_t
ncclCommAbort(ncclComm_t comm)
{
    return ncclCommDestroy(comm);
}

static void
swap_halves(float *data, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        float kept = data[i];
        data[i] = data[i + count / 2];
        data[i + count / 2] = kept;
    }
}

ncclResult_t
ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type,
              ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
    const char *misplace = getenv("FAKE_MISPLACE");

    if (fails() || type != ncclFloat || op != ncclSum || comm == NULL ||
        stream == NULL)
        return ncclSystemError;
    MPI_Allreduce(from == to ? MPI_IN_PLACE : from, to, (int)count, MPI_FLOAT,
                  MPI_SUM, MPI_COMM_WORLD);
    if (misplace != NULL && atoi(misplace) == my_rank())
        swap_halves(to, count);
    return ncclSuccess;
}
