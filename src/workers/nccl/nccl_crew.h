/* SPDX-License-Identifier: MIT */
/* The crew (workers/crew/crew.h) of a run over NCCL: a process for each rank,
 * as NCCL programs usually have, on the GPUs of this host (placement.h).  If
 * there are more ranks than GPUs they share them (nccl_api.h).
 *
 * The chief is no rank, and touches neither CUDA nor NCCL, which do not survive
 * a fork.  It forks the ranks, and exchanges letters with them over a socket
 * for each.  A rank that fails says so; one that dies is found dead.
 *
 * Times are the host's.  An event lasts from the moment its step's group is
 * handed to NCCL until the step's works are done; NCCL does not report what
 * happens in between. */
#ifndef WORKERS_NCCL_NCCL_CREW_H
#define WORKERS_NCCL_NCCL_CREW_H

#include "workers/cuda/gpu.h"
#include "workers/crew/crew.h"
#include "workers/nccl/gpu_rank.h"
#include "workers/nccl/nccl_native.h"

/* Where a rank is. */
struct nccl_seat {
    char gpu[GPU_NAME_MAX];
    int ngpus;   /* that it sees */
    bool shares; /* some ranks share a GPU, and all go over sockets */
};

/* Memory that the processes share, made before they are forked. */
struct nccl_shared {
    struct nccl_id id; /* made by rank 0 */
    int id_there;
    int version; /* of NCCL */
    uint64_t arrived; /* times that ranks have come to a meeting of all */
    struct nccl_seat seats[]; /* by rank */
};

/* NCCL's own collective, on memory of its own on the GPU. */
struct nccl_own {
    struct nccl_native call;
    void *input;     /* a copy of the original input */
    void *from, *to; /* the same buffer in place */
    struct crew_native *found; /* with room for it */
};

struct nccl_crew {
    struct crew crew;
    const struct schedule *s;
    const struct run_options *options;
    struct nccl_shared *shared;
    size_t shared_bytes;
    struct gpu_rank *gpu; /* a rank's */
    struct nccl_own own;
    uint64_t meetings; /* so far */
};

/* Finds NCCL's own collective for this rank and makes room for it; returns
 * false if NCCL has none. */
bool nccl_compare_prepare(struct nccl_crew *c, struct err *err);

/* The algorithm, the protocol and the channels that NCCL chose for its own
 * collective; no function of its interface returns them.
 *
 * This program is itself a profiler plugin of NCCL, version 5 (NCCL 2.28 and
 * later; older versions report nothing).  It exports ncclProfiler_v5, which
 * NCCL looks for if NCCL_PROFILER_PLUGIN is STATIC_PLUGIN.  The declarations
 * are those of 2.28.9, src/include/plugin/profiler/profiler_v5.h. */

/* Must be called before NCCL's first communicator.  Keeps a plugin that the
 * user has set. */
void nccl_profile_begin(void);

#endif
