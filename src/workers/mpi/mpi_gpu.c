/* SPDX-License-Identifier: MIT */
/* Ranks over MPI whose slots are on GPUs (workers/nccl/gpu_rank.h). */
#include <stdio.h>
#include <stdlib.h>

#include "workers/mpi/mpi_world.h"
#if defined(HAVE_MPIX_QUERY_CUDA_SUPPORT) && defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include "workers/cuda/cuda_call.h"
#include "workers/cuda/gpu.h"
#include "workers/nccl/gpu_rank.h"

static bool
mpi_is_cuda_aware(void)
{
#ifdef HAVE_MPIX_QUERY_CUDA_SUPPORT
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

/* Only the GPU's name is asked for: CUDA starts on it if a run needs it. */
void
mpi_gpu_find(int local, struct mpi_gpu_seat *seat)
{
    char version[NCCL_VERSION_TEXT_MAX];
    const struct gpu *gpu;
    struct gpus gpus;
    struct nccl nccl;
    struct err ignored;

    if (!gpus_find(&gpus, &ignored))
        return;
    gpu = &gpus.gpu[local % gpus.count];
    seat->id = gpu->id;
    snprintf(seat->name, sizeof seat->name, "%s", gpu->name);
    snprintf(seat->bus, sizeof seat->bus, "%s", gpu->bus);
    seat->cuda_aware = mpi_is_cuda_aware();
    if (!nccl_open(&nccl, &ignored))
        return;
    nccl_version_text(nccl.version, version);
    snprintf(seat->nccl, sizeof seat->nccl, "%.15s", version);
}

/* Rank 0's id goes to all ranks through MPI. */
static bool
join_ranks(const struct mpi_world *w, struct gpu_rank *g, struct err *err)
{
    struct nccl_id id = {{0}};

    setenv("NCCL_COMM_BLOCKING", "1", 1); /* nccl_api.h requires it */
    setenv("NCCL_DEBUG_FILE", "/dev/stderr", 0); /* rank 0's stdout is ours */
    return nccl_open(&g->nccl, err) &&
           (w->crew.rank != 0 ||
            nccl_ok(&g->nccl, g->nccl.get_unique_id(&id), "ncclGetUniqueId",
                    NULL, err)) &&
           mpi_ok(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, w->data), "MPI_Bcast",
                  err) &&
           gpu_rank_join(g, id, err);
}

/* Joins the other ranks, if all have loaded their GPUs: a rank that has not
 * reports why, and rank 0 ends the run. */
static bool
join_if_all_can(const struct mpi_world *w, struct gpu_rank *g, struct err *err)
{
    struct err ignored = {.text = ""}; /* where *err has a reason already */
    int can = g != NULL, all = 0;

    return mpi_ok(MPI_Allreduce(&can, &all, 1, MPI_INT, MPI_MIN, w->data),
                  "MPI_Allreduce", can ? err : &ignored) &&
           can && (!all || join_ranks(w, g, err));
}

/* NCCL's stream orders the copy of the input before all that follows. */
bool
mpi_gpu_join(const struct mpi_world *w, struct message_rank *r,
             enum gpu_way way, struct err *err)
{
    struct gpu_rank *g = gpu_rank_new(r, w->seats[w->crew.rank].gpu.id,
                                      way, false, err);

    return way == GPU_WAY_NCCL
               ? join_if_all_can(w, g, err)
               : g != NULL && cuda_ok(cudaStreamSynchronize(g->stream),
                                      "copying the input to the GPU", err);
}
