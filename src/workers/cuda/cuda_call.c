/* SPDX-License-Identifier: MIT */
#include "workers/cuda/cuda_call.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* What the user can do about an error; NULL if that is not known. */
static const char *
error_advice(cudaError_t error)
{
    switch (error) {
    case cudaErrorNoDevice:
        return "CUDA finds no NVIDIA GPU: is CUDA_VISIBLE_DEVICES set, is "
               "the GPU in MIG mode without MIG devices, or has the driver "
               "no device (nvidia-smi shows)?";
    case cudaErrorInsufficientDriver:
        return "the NVIDIA driver is older than the CUDA that collviz was "
               "built with: install a newer one";
    case cudaErrorMemoryAllocation:
        return "there is no memory left: take fewer elements or ranks, or end "
               "what else is on the GPU (nvidia-smi shows)";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
        return "this collviz was not built for such a GPU: build it with a "
               "CUDA that knows the GPU and that the driver supports";
    case cudaErrorCooperativeLaunchTooLarge:
        return "not all ranks fit on the GPU at once: take fewer";
    case cudaErrorDevicesUnavailable:
        return "the GPU takes one program at a time (its compute mode is "
               "EXCLUSIVE_PROCESS) and another one has it, or it takes none "
               "(PROHIBITED): nvidia-smi shows both; as root, nvidia-smi "
               "--compute-mode=DEFAULT lets programs share it";
    case cudaErrorLaunchTimeout:
        return "a GPU that drives a display stops what runs for long: take "
               "shorter delays, --pace lockstep or another GPU";
    case cudaErrorIllegalAddress:
        return "this is a fault of collviz: please report it, with the "
               "command";
    case cudaErrorSystemNotReady:
        return "the driver's services are not all there yet: does NVIDIA's "
               "fabric manager run, if the GPUs have NVSwitch?";
    case cudaErrorSystemDriverMismatch:
        return "the driver was changed while it ran: reboot the machine";
    case cudaErrorECCUncorrectable:
    case cudaErrorLaunchFailure:
    case cudaErrorHardwareStackError:
    case cudaErrorUnknown:
        return "the GPU was lost while it ran; dmesg says more, and if "
               "nvidia-smi fails as well it needs a reset";
    default:
        return NULL;
    }
}

bool
cuda_ok(cudaError_t error, const char *doing, struct err *err)
{
    const char *what = error_advice(error);

    if (error == cudaSuccess)
        return true;
    return err_set(err, "%s: %s%s%s (CUDA error %d)", doing,
                   cudaGetErrorString(error), what != NULL ? "; " : "",
                   what != NULL ? what : "", (int)error);
}

struct gpu_held {
    void *memory;
    bool host;
};

/* Programs without waits and runs without elements ask for 0 bytes; these
 * pieces too need an address of their own. */
static void *
take_memory(struct gpu_memory *m, size_t bytes, bool host, struct err *err)
{
    void *memory = NULL;
    char doing[64];

    if (m->failed)
        return NULL;
    snprintf(doing, sizeof doing, "taking %.1f MiB %s",
             (double)bytes / (1 << 20),
             host ? "of mapped host memory" : "on the GPU");
    bytes += bytes == 0;
    m->failed = !cuda_ok(host ? cudaHostAlloc(&memory, bytes,
                                              cudaHostAllocMapped |
                                                  cudaHostAllocPortable)
                              : cudaMalloc(&memory, bytes),
                         doing, err);
    if (m->failed)
        return NULL;
    if (host)
        memset(memory, 0, bytes);
    m->held = mem_grow(m->held, m->count, &m->capacity, sizeof *m->held);
    m->held[m->count++] = (struct gpu_held){memory, host};
    return memory;
}

void *
gpu_memory_device(struct gpu_memory *m, size_t bytes, struct err *err)
{
    return take_memory(m, bytes, false, err);
}

void *
gpu_memory_mapped(struct gpu_memory *m, size_t bytes, struct err *err)
{
    return take_memory(m, bytes, true, err);
}

void *
gpu_memory_upload(struct gpu_memory *m, const void *from, size_t bytes,
                  struct err *err)
{
    void *memory = take_memory(m, bytes, false, err);

    m->failed = m->failed ||
                !cuda_ok(cudaMemcpy(memory, from, bytes,
                                    cudaMemcpyHostToDevice),
                         "copying to the GPU", err);
    return m->failed ? NULL : memory;
}

static void
release_held(const struct gpu_held *held)
{
    if (held->host)
        cudaFreeHost(held->memory);
    else
        cudaFree(held->memory);
}

void
gpu_memory_free(struct gpu_memory *m, const void *memory)
{
    for (size_t i = 0; i < m->count; i++)
        if (m->held[i].memory == memory) {
            release_held(&m->held[i]);
            m->held[i] = m->held[--m->count];
            return;
        }
}

void
gpu_memory_done(struct gpu_memory *m)
{
    while (m->count > 0)
        release_held(&m->held[--m->count]);
    free(m->held);
    m->held = NULL;
}
