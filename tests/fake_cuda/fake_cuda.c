/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include "base/clock.h"
#include "fake_kernels.h"
#include "fake_stream.h"

enum {
    BLOCKS_MAX = 264,
    HELD_MAX = 1 << 16,
    COPIES_MAX = 256,
    GPUS = 16,
    ON_HOST = -1
};

/* A copy in a stream that has not been made yet. */
struct copy {
    void *to;
    const void *from;
    size_t bytes;
};

/* What a stream has to do: either a kernel, or copies, or fake_stream_wait()'s.
 * It begins something of another kind once that is over. */
struct CUstream_st {
    int gpu;
    bool running;
    pthread_t thread;
    struct fake_launch launch;
    struct copy copies[COPIES_MAX];
    int ncopies;
    bool (*more)(void);
};

/* All memory and its owners, to check that kernels touch only what they
 * reach. */
static struct held {
    const unsigned char *memory;
    size_t bytes;
    int gpu;
} held[HELD_MAX];
static int nheld;
static bool peers[GPUS][GPUS];
static int current;
static bool loaded[GPUS]; /* the kernel of ranks */
static int calls, copies;

static int
setting(const char *name, int otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? atoi(text) : otherwise;
}

static bool
mig(void)
{
    return setting("FAKE_CUDA_MIG", 0) != 0;
}

/* Counts the calls of all entry points; some may have to fail. */
static cudaError_t
turn(const char *function)
{
    const char *fails = getenv("FAKE_CUDA_FAIL_IN");

    return ++calls == setting("FAKE_CUDA_FAIL", 0) ||
                   (fails != NULL && strcmp(fails, function) == 0)
               ? (cudaError_t)setting("FAKE_CUDA_ERROR", cudaErrorUnknown)
               : cudaSuccess;
}
#define TURN()                              \
    do {                                    \
        cudaError_t fate = turn(__func__);  \
        if (fate != cudaSuccess)            \
            return fate;                    \
    } while (0)

/* An entry point that does so much, and succeeds if it is not its turn. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define ENTRY(name, parameters, ...) \
    cudaError_t name parameters      \
    {                                \
        TURN();                      \
        __VA_ARGS__                  \
        return cudaSuccess;          \
    }

const char *
cudaGetErrorString(cudaError_t error)
{
    return "fake error";
}

ENTRY(cudaGetLastError, (void),)
ENTRY(cudaDriverGetVersion, (int *version),
      *version = setting("FAKE_CUDA_DRIVER", 13000);)
ENTRY(cudaRuntimeGetVersion, (int *version), *version = 13000;)
ENTRY(cudaGetDeviceCount, (int *count), *count = setting("FAKE_CUDA_GPUS", 1);)
ENTRY(cudaSetDevice, (int device), current = device;)
ENTRY(cudaDeviceGetAttribute, (int *value, enum cudaDeviceAttr attribute,
      int device),
      *value = attribute == cudaDevAttrComputeCapabilityMajor   ? 9
               : attribute == cudaDevAttrComputeCapabilityMinor ? 0
                                                                : 1;)

cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *about, int device)
{
    TURN();
    snprintf(about->name, sizeof about->name, "Fake GPU%s",
             mig() ? " MIG 1g.10gb" : "");
    for (int i = 0; i < 16; i++)
        about->uuid.bytes[i] = (char)(0xa0 + 16 * device + i);
    return cudaSuccess;
}

ENTRY(cudaDeviceGetPCIBusId, (char *id, int length, int device),
      snprintf(id, (size_t)length, "0000:%02X:00.0", mig() ? 10 : device + 10);)
ENTRY(cudaDeviceCanAccessPeer, (int *can, int device, int peer),
      *can = !mig() && setting("FAKE_CUDA_PEER", 1) != 0;)

cudaError_t
cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
    TURN();
    if (mig() || setting("FAKE_CUDA_PEER", 1) != 1)
        return cudaErrorPeerAccessUnsupported;
    peers[current][peer] = true;
    return cudaSuccess;
}

ENTRY(cudaStreamCreateWithFlags, (cudaStream_t *stream, unsigned flags),
      *stream = calloc(1, sizeof **stream);
      (*stream)->gpu = current;)

static void
make_copies(cudaStream_t stream)
{
    for (int i = 0; i < stream->ncopies; i++)
        memcpy(stream->copies[i].to, stream->copies[i].from,
               stream->copies[i].bytes);
    stream->ncopies = 0;
}

/* Waits until the stream is empty. */
static void
join(cudaStream_t stream)
{
    if (stream->running)
        pthread_join(stream->thread, NULL);
    stream->running = false;
    make_copies(stream);
    while (stream->more != NULL && stream->more())
        sched_yield();
    stream->more = NULL;
}

void
fake_stream_join(void *stream)
{
    join(stream);
}

void
fake_stream_wait(void *stream, bool (*more)(void))
{
    cudaStream_t s = stream;

    join(s);
    s->more = more;
}

ENTRY(cudaStreamSynchronize, (cudaStream_t stream), join(stream);)

cudaError_t
cudaStreamQuery(cudaStream_t stream)
{
    TURN();
    if (stream->running &&
        !__atomic_load_n(&stream->launch.done, __ATOMIC_ACQUIRE)) {
        usleep(20); /* the GPU needs this processor */
        return cudaErrorNotReady;
    }
    if (stream->ncopies > 0) { /* so that nobody does without the query */
        make_copies(stream);
        return cudaErrorNotReady;
    }
    if (stream->more != NULL && stream->more())
        return cudaErrorNotReady;
    join(stream);
    return cudaSuccess;
}

cudaError_t
cudaStreamDestroy(cudaStream_t stream)
{
    join(stream);
    free(stream);
    return cudaSuccess;
}

struct CUevent_st {
    int64_t at_ns;
};

ENTRY(cudaEventCreate, (cudaEvent_t *event),
      *event = calloc(1, sizeof **event);)

cudaError_t
cudaEventDestroy(cudaEvent_t event)
{
    free(event);
    return cudaSuccess;
}

ENTRY(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream),
      make_copies(stream);
      event->at_ns = clock_ns();)
ENTRY(cudaEventSynchronize, (cudaEvent_t event),)
ENTRY(cudaEventElapsedTime, (float *ms, cudaEvent_t from, cudaEvent_t to),
      *ms = (float)(to->at_ns - from->at_ns) / 1e6f;)
ENTRY(cudaFuncGetAttributes, (struct cudaFuncAttributes *attributes,
      const void *function),
      attributes->numRegs = 152;
      loaded[current] = loaded[current] || function == (void *)kernel_ranks;)
ENTRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor, (int *blocks,
      const void *function, int threads, size_t shared),
      *blocks = setting("FAKE_CUDA_BLOCKS", BLOCKS_MAX);)

/* New memory holds bytes that no test expects. */
static cudaError_t
take(void **memory, size_t bytes, int gpu)
{
    if (nheld == HELD_MAX ||
        posix_memalign(memory, 256, (bytes + 255) / 256 * 256) != 0)
        return cudaErrorMemoryAllocation;
    memset(*memory, 0xa5, bytes);
    held[nheld++] = (struct held){*memory, bytes, gpu};
    return cudaSuccess;
}

static cudaError_t
release(void *memory)
{
    for (int i = 0; i < nheld; i++)
        if (held[i].memory == memory) {
            held[i] = held[--nheld];
            free(memory);
            return cudaSuccess;
        }
    fprintf(stderr, "memory is freed that was never allocated\n");
    abort();
}

cudaError_t
cudaMalloc(void **memory, size_t bytes)
{
    TURN();
    return take(memory, bytes, current);
}

cudaError_t
cudaHostAlloc(void **memory, size_t bytes, unsigned flags)
{
    TURN();
    return take(memory, bytes, ON_HOST);
}

cudaError_t
cudaFree(void *memory)
{
    return release(memory);
}

cudaError_t
cudaFreeHost(void *memory)
{
    return release(memory);
}

static void
count_copy(void)
{
    const char *file = getenv("FAKE_CUDA_COPIES");
    FILE *out = file != NULL ? fopen(file, "w") : NULL;

    copies++;
    if (out != NULL) {
        fprintf(out, "%d\n", copies);
        fclose(out);
    }
}

ENTRY(cudaMemcpy, (void *to, const void *from, size_t bytes,
      enum cudaMemcpyKind kind),
      count_copy();
      memcpy(to, from, bytes);)

cudaError_t
cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
               size_t bytes)
{
    TURN();
    if (!peers[to_device][from_device])
        return cudaErrorInvalidResourceHandle;
    if (setting("FAKE_CUDA_IOMMU", 0))
        memset(to, 0, bytes);
    else
        memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                enum cudaMemcpyKind kind, cudaStream_t stream)
{
    TURN();
    if (stream->running || stream->more != NULL ||
        stream->ncopies == COPIES_MAX)
        join(stream);
    stream->copies[stream->ncopies++] = (struct copy){to, from, bytes};
    return cudaSuccess;
}

/* Pinned memory is like any other here. */
ENTRY(cudaHostRegister, (void *memory, size_t bytes, unsigned flags),)

cudaError_t
cudaHostUnregister(void *memory)
{
    return cudaSuccess;
}

bool
fake_is_on_gpu(const void *address)
{
    const unsigned char *p = address;

    for (int i = 0; i < nheld; i++)
        if (held[i].gpu != ON_HOST && p >= held[i].memory &&
            p < held[i].memory + held[i].bytes)
            return true;
    return false;
}

/* Whether GPU `gpu` may touch this: an address of its own, of the host, or of
 * a GPU that it has peer access to.  An empty slot may lie at the end. */
bool
fake_finds(int gpu, const void *address, struct fake_memory *memory)
{
    const unsigned char *p = address;

    for (int i = 0; i < nheld; i++)
        if (p >= held[i].memory && p < held[i].memory + held[i].bytes + 1)
            if (held[i].gpu == gpu || held[i].gpu == ON_HOST ||
                peers[gpu][held[i].gpu]) {
                *memory = (struct fake_memory){
                    held[i].memory, held[i].bytes, held[i].gpu == ON_HOST};
                return true;
            }
    return false;
}

bool
fake_reaches(int gpu, const void *address)
{
    struct fake_memory ignored;

    return fake_finds(gpu, address, &ignored);
}

static void *
run(void *arg)
{
    struct CUstream_st *stream = arg;

    fake_kernel(&stream->launch);
    __atomic_store_n(&stream->launch.done, true, __ATOMIC_RELEASE);
    return NULL;
}

cudaError_t
cudaLaunchKernel(const void *function, dim3 grid, dim3 block,
                 void **arguments, size_t shared, cudaStream_t stream)
{
    TURN();
    if (stream->gpu != current)
        return cudaErrorInvalidResourceHandle;
    join(stream);
    stream->launch = (struct fake_launch){
        .function = function, .gpu = stream->gpu, .blocks = (int)grid.x,
        .threads = (int)block.x,
        .hangs = setting("FAKE_CUDA_HANG", 0),
        .last_first = setting("FAKE_CUDA_LAST_FIRST", 0)};
    if (!fake_kernel_takes(&stream->launch, arguments[0]))
        return cudaErrorIllegalAddress;
    if (pthread_create(&stream->thread, NULL, run, stream) != 0)
        return cudaErrorMemoryAllocation;
    stream->running = true;
    if (setting("FAKE_CUDA_BLOCKING", 0))
        join(stream);
    return cudaSuccess;
}

cudaError_t
cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                            void **arguments, size_t shared,
                            cudaStream_t stream)
{
    if ((int)grid.x > setting("FAKE_CUDA_BLOCKS", BLOCKS_MAX))
        return cudaErrorCooperativeLaunchTooLarge;
    if (function == (void *)kernel_ranks && !loaded[current])
        return cudaErrorLaunchTimeout; /* loading waits for running kernels */
    return cudaLaunchKernel(function, grid, block, arguments, shared, stream);
}
