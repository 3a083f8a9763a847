/* SPDX-License-Identifier: MIT */
#include "workers/cuda/gpu.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "workers/cuda/cuda_call.h"

/* A GPU has to run all blocks at once, and to see host memory at the host's
 * addresses. */
static const struct {
    enum cudaDeviceAttr attribute;
    const char *what;
} needs[] = {
    {cudaDevAttrCooperativeLaunch, "cooperative launches"},
    {cudaDevAttrCanMapHostMemory, "mapped host memory"},
    {cudaDevAttrUnifiedAddressing, "unified addresses"},
};

enum {
    NEEDS = sizeof needs / sizeof needs[0],
    OLDEST = 75,  /* compute capability */
    PROBE = 4096, /* bytes that try peer access */
};

static bool
query_gpu(int id, enum cudaDeviceAttr attribute, int *value, struct err *err)
{
    return cuda_ok(cudaDeviceGetAttribute(value, attribute, id),
                   "asking what the GPU can do", err);
}

/* Sets *able: whether a GPU can run ranks; if not, *err has the reason. Returns
 * false if the GPU could not be asked. */
static bool
is_able(int id, bool *able, struct err *err)
{
    int major, minor, has;

    *able = false;
    if (!query_gpu(id, cudaDevAttrComputeCapabilityMajor, &major, err) ||
        !query_gpu(id, cudaDevAttrComputeCapabilityMinor, &minor, err))
        return false;
    if (10 * major + minor < OLDEST) {
        err_set(err, "GPU %d is too old: it has compute capability %d.%d, "
                "and collviz needs 7.5 or newer", id, major, minor);
        return true;
    }
    for (int i = 0; i < NEEDS; i++) {
        if (!query_gpu(id, needs[i].attribute, &has, err))
            return false;
        if (!has) {
            err_set(err, "GPU %d has no %s", id, needs[i].what);
            return true;
        }
    }
    *able = true;
    return true;
}

static bool
describe_gpu(int id, struct gpu *gpu, struct err *err)
{
    struct cudaDeviceProp about;
    unsigned char uuid[4];
    char name[512];
    int length;

    gpu->id = id;
    if (!cuda_ok(cudaGetDeviceProperties(&about, id),
                 "asking for the GPU's name", err) ||
        !cuda_ok(cudaDeviceGetPCIBusId(gpu->bus, sizeof gpu->bus, id),
                 "asking for the GPU's PCI bus", err) ||
        !query_gpu(id, cudaDevAttrMultiProcessorCount, &gpu->multiprocessors,
                   err))
        return false;
    for (char *c = gpu->bus; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    gpu->is_mig = strstr(about.name, " MIG ") != NULL;
    length = snprintf(name, sizeof name, "%s %s", about.name, gpu->bus);
    memcpy(uuid, about.uuid.bytes, sizeof uuid);
    if (gpu->is_mig)
        snprintf(name + length, sizeof name - (size_t)length,
                 " %02x%02x%02x%02x", uuid[0], uuid[1], uuid[2], uuid[3]);
    utf8_clean(gpu->name, sizeof gpu->name, name);
    return true;
}

/* CUDA has one error for both: a driver that is too old, and no driver. */
static bool
find_driver(struct err *err)
{
    int driver = 0, runtime = 0;

    unsetenv("CUDA_LAUNCH_BLOCKING"); /* our kernels wait for the host */
    if (!cuda_ok(cudaDriverGetVersion(&driver), "looking for a driver", err) ||
        !cuda_ok(cudaRuntimeGetVersion(&runtime), "looking for CUDA", err))
        return false;
    return driver > 0 ||
           err_set(err, "there is no NVIDIA driver on this machine: install "
                   "one for CUDA %d.%d or newer, if it has a GPU",
                   runtime / 1000, runtime % 1000 / 10);
}

bool
gpus_find(struct gpus *gpus, struct err *err)
{
    int there = 0;

    gpus->count = 0;
    if (!find_driver(err) ||
        !cuda_ok(cudaGetDeviceCount(&there), "looking for GPUs", err))
        return false;
    if (there == 0)
        return cuda_ok(cudaErrorNoDevice, "looking for GPUs", err);
    for (int id = 0; id < there && gpus->count < GPUS_MAX; id++) {
        bool able;
        if (!is_able(id, &able, err) ||
            (able && !describe_gpu(id, &gpus->gpu[gpus->count], err)))
            return false;
        gpus->count += able;
    }
    return gpus->count > 0; /* else *err has the last one's reason */
}

int
gpus_boards(const struct gpus *gpus, int n)
{
    int boards = 0;

    for (int i = 0; i < n; i++) {
        bool seen = false;

        for (int k = 0; k < i; k++)
            seen = seen || strcmp(gpus->gpu[k].bus, gpus->gpu[i].bus) == 0;
        boards += !seen;
    }
    return boards;
}

bool
gpu_reaches(const struct gpu *from, const struct gpu *to, bool *reaches,
            struct err *err)
{
    int can = 0;
    bool ok = cuda_ok(cudaDeviceCanAccessPeer(&can, from->id, to->id),
                      "asking for peer access", err);

    *reaches = can;
    return ok;
}

/* Lets the current GPU read another's memory. Sets *enabled if it can now. */
static bool
enable_peer(const struct gpu *to, bool *enabled, struct err *err)
{
    cudaError_t error = cudaDeviceEnablePeerAccess(to->id, 0);

    *enabled = error != cudaErrorTooManyPeers &&
               error != cudaErrorPeerAccessUnsupported; /* else by the host */
    if (!*enabled || error == cudaErrorPeerAccessAlreadyEnabled)
        error = (cudaGetLastError(), cudaSuccess); /* handled: cleared */
    return cuda_ok(error, "enabling peer access", err);
}

/* With an IOMMU between GPUs, CUDA may offer peer access although reads return
 * wrong data.  So peer access is used only once a pattern has been read back
 * from memory of GPU `to`, as GPU `from`, through memory of that one. */
static bool
probe_peer(const struct gpu *from, const struct gpu *to, bool *works,
           struct err *err)
{
    static const char trying[] = "trying peer access";
    unsigned char pattern[PROBE], back[PROBE] = {0};
    void *theirs = NULL, *ours = NULL;
    bool ok;

    for (int i = 0; i < PROBE; i++)
        pattern[i] = (unsigned char)(i * 7 + i / 256 + from->id * 16 + to->id);
    ok = cuda_ok(cudaSetDevice(to->id), "choosing the GPU", err) &&
         cuda_ok(cudaMalloc(&theirs, PROBE), trying, err) &&
         cuda_ok(cudaSetDevice(from->id), "choosing the GPU", err) &&
         cuda_ok(cudaMalloc(&ours, PROBE), trying, err) &&
         cuda_ok(cudaMemcpy(theirs, pattern, PROBE, cudaMemcpyHostToDevice),
                 trying, err) &&
         cuda_ok(cudaMemcpy(ours, back, PROBE, cudaMemcpyHostToDevice), trying,
                 err) &&
         cuda_ok(cudaMemcpyPeer(ours, from->id, theirs, to->id, PROBE), trying,
                 err) &&
         cuda_ok(cudaMemcpy(back, ours, PROBE, cudaMemcpyDeviceToHost), trying,
                 err);
    *works = memcmp(pattern, back, PROBE) == 0;
    if (theirs != NULL)
        cudaFree(theirs);
    if (ours != NULL)
        cudaFree(ours);
    return ok;
}

bool
gpus_connect(const struct gpus *gpus, int n, bool *reach, struct err *err)
{
    for (int i = 0; i < n * n; i++) {
        const struct gpu *a = &gpus->gpu[i / n], *b = &gpus->gpu[i % n];
        bool *reaches = &reach[i];
        *reaches = true;
        if (a == b)
            continue;
        if (!gpu_reaches(a, b, reaches, err) ||
            (*reaches &&
             !(cuda_ok(cudaSetDevice(a->id), "choosing the GPU", err) &&
               enable_peer(b, reaches, err) &&
               (!*reaches || probe_peer(a, b, reaches, err)))))
            return false;
    }
    return true;
}
