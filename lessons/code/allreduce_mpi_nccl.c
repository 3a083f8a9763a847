/* SPDX-License-Identifier: MIT */
/* An all-reduce on GPUs with MPI and NCCL: a process for each GPU; MPI starts
 * the processes and carries the first message, NCCL does the rest.
 *
 *     mpicc allreduce_mpi_nccl.c -o allreduce_mpi_nccl \
 *         -I/usr/local/cuda/include -L/usr/local/cuda/lib64 -lnccl -lcudart
 *     mpirun -n 2 ./allreduce_mpi_nccl
 *
 * Every rank ends with the sum of all ranks' arrays. That is compared, element
 * by element, with the sum worked out on the host, and so is what MPI_Allreduce
 * makes of the same input. Exit status: 0 if all is right, else 1.
 *
 * Seven things that such programs often get wrong are marked (1) to (7). */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>
#include <mpi.h>
#include <nccl.h>

enum { COUNT = 1 << 20 }; /* elements of each rank's array */

/* All that has to be given back, whatever happens. */
struct job {
    int rank, nranks;
    int local_rank, local_ranks; /* among the ranks of this host */
    MPI_Comm host;
    cudaStream_t stream;
    ncclComm_t comm;
    float *input, *expected, *result, *mpi_result; /* of the host */
    float *device;                                 /* of the GPU */
    long wrong; /* elements of all ranks, in the end */
};

static bool
failed(const char *call, const char *file, int line, const char *why)
{
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, why);
    return false;
}

static const char *
mpi_error(int error)
{
    static char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(error, text, &length);
    return text;
}

/* (1) Every call is checked, and says where it failed. A call that failed and
 * was not checked shows much later, as a wrong result or as a hang. */
#define CHECK(type, success, text, call)                                      \
    do {                                                                      \
        type error_ = (call); /* (1) */                                       \
        if (error_ != (success))                                              \
            return failed(#call, __FILE__, __LINE__, text(error_));           \
    } while (0)
#define MPI(call) CHECK(int, MPI_SUCCESS, mpi_error, call)
#define CUDA(call) CHECK(cudaError_t, cudaSuccess, cudaGetErrorString, call)
#define NCCL(call) CHECK(ncclResult_t, ncclSuccess, ncclGetErrorString, call)

/* (2) What rank `rank` has at index `i` depends on both. With ones everywhere
 * the sum is right even if a chunk ends up where another one belongs, and
 * even if a rank is added twice and another one never. 1021 is a prime, so
 * that it divides no chunk's length. All sums up to 128 ranks are whole
 * numbers below 2^24: floats hold them exactly, in whatever order they came
 * together, and can be compared with ==. */
static float
element(int rank, int i) /* (2) */
{
    return (float)((rank + 1) * ((i + 7 * rank) % 1021 + 1));
}

static bool
make_arrays(struct job *j)
{
    size_t bytes = COUNT * sizeof(float);

    j->input = malloc(bytes);
    j->expected = calloc(COUNT, sizeof(float));
    j->result = malloc(bytes);
    j->mpi_result = malloc(bytes);
    if (!j->input || !j->expected || !j->result || !j->mpi_result)
        return failed("malloc", __FILE__, __LINE__, "out of memory");
    for (int i = 0; i < COUNT; i++) {
        j->input[i] = element(j->rank, i);
        for (int rank = 0; rank < j->nranks; rank++)
            j->expected[i] += element(rank, i);
    }
    return true;
}

/* (3) The device is chosen by the rank among the ranks of this host. By the
 * rank among all of them, the second host would ask for GPUs that it does not
 * have. And it is chosen first: what is made before belongs to device 0. */
static bool
choose_device(struct job *j)
{
    int ndevices;

    MPI(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, j->rank,
                            MPI_INFO_NULL, &j->host));
    MPI(MPI_Comm_rank(j->host, &j->local_rank));
    MPI(MPI_Comm_size(j->host, &j->local_ranks));
    CUDA(cudaGetDeviceCount(&ndevices));
    if (j->local_ranks > ndevices) {
        fprintf(stderr, "rank %d: this host has %d ranks and %d GPUs; NCCL "
                "takes one rank on each\n", j->rank, j->local_ranks, ndevices);
        return false;
    }
    CUDA(cudaSetDevice(j->local_rank)); /* (3) */
    return true;
}

/* (4) A stream is made, with a flag. The flags themselves, cudaStreamDefault
 * and cudaStreamNonBlocking, are the numbers 0 and 1: where a stream is asked
 * for, they are taken for the default stream and the legacy stream. Before
 * NCCL begins, for now the device is not only chosen but in use. */
static bool
make_stream(struct job *j)
{
    CUDA(cudaStreamCreateWithFlags(&j->stream, /* (4) */
                                   cudaStreamNonBlocking));
    return true;
}

/* (5) One rank makes the id and all get the same one: by MPI, which can do
 * that without knowing what is in it. An id made by each for itself would let
 * all of them wait for each other for ever. */
static bool
join(struct job *j)
{
    ncclUniqueId id; /* (5) */

    if (j->rank == 0)
        NCCL(ncclGetUniqueId(&id));
    MPI(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));
    NCCL(ncclCommInitRank(&j->comm, j->nranks, id, j->rank));
    return true;
}

/* (6) ncclAllReduce returns when the work is in the stream, not when it is
 * done. The copies are in the same stream, hence before and after it; only
 * then the host waits. Input and output are the same array: in place. */
static bool
all_reduce(struct job *j)
{
    size_t bytes = COUNT * sizeof(float);

    CUDA(cudaMalloc((void **)&j->device, bytes));
    CUDA(cudaMemcpyAsync(j->device, j->input, bytes, cudaMemcpyHostToDevice,
                         j->stream));
    NCCL(ncclAllReduce(j->device, j->device, COUNT, ncclFloat, ncclSum,
                       j->comm, j->stream)); /* (6) */
    CUDA(cudaMemcpyAsync(j->result, j->device, bytes, cudaMemcpyDeviceToHost,
                         j->stream));
    CUDA(cudaStreamSynchronize(j->stream));
    return true;
}

/* Elements that are not as expected; the first of them is shown. */
static long
count_wrong(const struct job *j, const char *whose, const float *got)
{
    long wrong = 0;

    for (int i = 0; i < COUNT; i++)
        if (got[i] != j->expected[i] && wrong++ == 0)
            fprintf(stderr, "rank %d: %s: element %d is %g, expected %g\n",
                    j->rank, whose, i, got[i], j->expected[i]);
    return wrong;
}

/* The verdict is everybody's: a rank alone does not know of the others. */
static bool
compare(struct job *j)
{
    long wrong[2], all[2];

    MPI(MPI_Allreduce(j->input, j->mpi_result, COUNT, MPI_FLOAT, MPI_SUM,
                      MPI_COMM_WORLD));
    wrong[0] = count_wrong(j, "ncclAllReduce", j->result);
    wrong[1] = count_wrong(j, "MPI_Allreduce", j->mpi_result);
    MPI(MPI_Allreduce(wrong, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD));
    if (j->rank == 0)
        printf("%d ranks, %d elements each: NCCL %ld wrong, MPI %ld wrong\n",
               j->nranks, COUNT, all[0], all[1]);
    j->wrong = all[0] + all[1];
    return true;
}

static bool
run(struct job *j)
{
    /* else MPI ends the program itself, and nothing would be checked */
    MPI(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    MPI(MPI_Comm_rank(MPI_COMM_WORLD, &j->rank));
    MPI(MPI_Comm_size(MPI_COMM_WORLD, &j->nranks));
    return make_arrays(j) && choose_device(j) && make_stream(j) && join(j) &&
           all_reduce(j) && compare(j);
}

/* Gives back what there is; an error here has nobody left to act on it. After
 * a failure others may still be on their way to us: ncclCommAbort does not
 * wait for them, as ncclCommDestroy would. */
static void
release(struct job *j, bool ran)
{
    if (j->comm != NULL && ran)
        ncclCommDestroy(j->comm);
    else if (j->comm != NULL)
        ncclCommAbort(j->comm);
    if (j->device != NULL)
        cudaFree(j->device);
    if (j->stream != NULL)
        cudaStreamDestroy(j->stream);
    if (j->host != MPI_COMM_NULL)
        MPI_Comm_free(&j->host);
    free(j->input);
    free(j->expected);
    free(j->result);
    free(j->mpi_result);
}

int
main(int argc, char **argv)
{
    struct job job = {.host = MPI_COMM_NULL};
    bool ran;

    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return EXIT_FAILURE;
    ran = run(&job);
    release(&job, ran);
    /* (7) A rank that failed ends them all. If it went on to MPI_Finalize, the
     * others would wait in the next collective for one that never comes. */
    if (!ran) /* (7) */
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    MPI_Finalize();
    return job.wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
