/* SPDX-License-Identifier: MIT */
/* collviz-cuda: runs ranks on NVIDIA GPUs.
 *
 * collviz starts it and tells it what to run, and it reports what happens
 * (run/request.h describes both directions).  With `collviz-cuda nccl` NCCL
 * carries what ranks send (workers/nccl/nccl_crew.h); `collviz-cuda devices`
 * lists the GPUs, and `collviz-cuda devices nccl` says which NCCL there is.  An
 * error is a line on standard error and exit status 1. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/print.h"
#include "run/request.h"
#include "workers/crew/crew.h"
#include "workers/cuda/gpu.h"
#include "workers/cuda/gpu_run.h"
#include "workers/nccl/nccl_api.h"

/* "NVIDIA H200 00000000:1b:00.0, 132 multiprocessors, reaches the memory of 3
 * of 7 other GPUs" */
static bool
list_device(const struct gpus *gpus, int i, struct err *err)
{
    const struct gpu *gpu = &gpus->gpu[i];
    int reached = 0;
    bool reaches;

    for (int other = 0; other < gpus->count; other++)
        if (other != i) {
            if (!gpu_reaches(gpu, &gpus->gpu[other], &reaches, err))
                return false;
            reached += reaches;
        }
    printf("%s, %d multiprocessors", gpu->name, gpu->multiprocessors);
    if (gpus->count > 1)
        printf(", reaches the memory of %d of %d other GPU%s", reached,
               gpus->count - 1, err_plural(gpus->count - 1));
    else if (gpu->is_mig)
        printf("; CUDA shows a program only one MIG device");
    putchar('\n');
    return true;
}

static bool
list_devices(struct err *err)
{
    struct gpus gpus;

    if (!gpus_find(&gpus, err))
        return false;
    for (int i = 0; i < gpus.count; i++)
        if (!list_device(&gpus, i, err))
            return false;
    return fflush(stdout) == 0 || err_set(err, "%s", strerror(errno));
}

/* "NCCL 2.28.9 on 1 GPU, which ranks share: ..." */
static bool
list_nccl(struct err *err)
{
    char version[NCCL_VERSION_TEXT_MAX];
    struct nccl nccl;
    struct gpus gpus;
    int boards;

    if (!nccl_open(&nccl, err))
        return false;
    nccl_version_text(nccl.version, version);
    if (!gpus_find(&gpus, err))
        return err_prefix(err, "NCCL %s is there, but nothing to run it on",
                          version);
    boards = gpus_boards(&gpus, gpus.count);
    printf("NCCL %s, for %d GPU%s; more ranks than that share them and talk "
           "over sockets%s\n", version, boards, err_plural(boards),
           nccl.all_to_all == NULL
               ? "; without a gather, scatter and all-to-all of its own"
               : "");
    return fflush(stdout) == 0 || err_set(err, "%s", strerror(errno));
}

int
main(int argc, char *argv[])
{
    const char *mode = argc > 1 ? argv[1] : "";
    struct machine nccl = crew_machine("nccl");
    struct err err;
    bool ok;

    nccl.mismatch = NULL; /* GPUs' messages must fit */
    print_open();
    if (strcmp(mode, "devices") == 0)
        ok = argc > 2 ? list_nccl(&err) : list_devices(&err);
    else
        ok = serve(strcmp(mode, "nccl") == 0 ? &nccl : &machine_gpu, &err);
    if (ok)
        return 0;
    fprintf(stderr, "%s\n", err.text);
    fflush(stderr);
    _exit(1); /* CUDA's own cleaning up would wait for a GPU that hangs */
}
