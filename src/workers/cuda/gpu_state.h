/* SPDX-License-Identifier: MIT */
/* The state of a run on GPUs, shared by the files that implement it:
 *
 *     gpu_load.c      its memory, and what that holds at first
 *     gpu_launch.c    grants: launches, whether they are over, their events
 *     gpu_run.c       the whole run, from its creation to its end */
#ifndef WORKERS_CUDA_GPU_STATE_H
#define WORKERS_CUDA_GPU_STATE_H

#include "run/log_reader.h"
#include "run/rank_call.h"
#include "workers/cuda/gpu.h"
#include "workers/cuda/gpu_clock.h"
#include "workers/cuda/gpu_memory.h"
#include "workers/cuda/gpu_run.h"
#include "workers/cuda/gpu_slots.h"
#include "workers/cuda/kernels.h"
#include "workers/cuda/placement.h"

/* One GPU of the run. */
struct gpu_side {
    const struct gpu *gpu;
    int first, nranks;
    int capacity; /* blocks that it can run at once */
    cudaStream_t stream;
    struct gpu_clock clock;
    struct kernel_call call;
    struct gpu_image image;        /* its ranks' slots */
    struct rank_counter *counters; /* of its ranks' blocks, for kernels */
    struct rank *ranks;    /* pinned; [block of the grid] */
    struct rank_log *logs; /* there: [rank - first] */
    bool running;
};

/* A counter that only one rank writes, on cache lines of its own. */
struct gpu_published {
    uint64_t events;
} __attribute__((aligned(128)));

struct gpu_run {
    const struct schedule *s;
    struct program *p;
    struct run_options options;
    struct gpus gpus;
    struct placement placement;
    bool *reach;  /* [reader * ngpus + owner] */
    bool *staged; /* [rank * nslots + slot] */
    struct gpu_side sides[GPUS_MAX];
    struct gpu_memory memory;
    struct gpu_slots slots;
    int64_t *lengths;      /* elements, by chunk */
    struct rank_call call; /* with addresses of this process */
    struct rank *ranges;   /* by rank: what was granted last */
    bool counters_on_gpus; /* each rank's on its own, else all on the host */
    struct rank_counter *zero; /* pinned: counters before the first step */
    uint64_t *ledger;          /* for kernels */
    int64_t slice;
    int nslices; /* of a full run */
    uint64_t *stop;               /* mapped */
    struct gpu_clock_desk *desk;  /* mapped */
    struct gpu_published *published;  /* mapped; by rank */
    struct event *events;         /* mapped; of all ranks */
    uint64_t *contents;           /* mapped */
    size_t events_room, contents_room;
    struct rank_log *logs; /* pinned; by rank */
    struct log_reader reader;         /* of the logs */
    int granted;           /* steps */
    int64_t start_ns;
    int64_t compared_ns; /* when clocks were compared */
};

/* Makes this GPU the current one. */
bool gpu_use(const struct gpu_side *side, struct err *err);

/* Gives ranks and kernels all memory that they need, filled with what it holds
 * before the first step.  g->placement, g->sides and g->call must be set. */
bool gpu_load(struct gpu_run *g, struct err *err);
size_t gpu_counters_bytes(const struct gpu_run *g, int nranks);
size_t gpu_ledger_bytes(const struct gpu_run *g);

/* Compares each GPU's clock with the host's, unless that was done a moment
 * ago. */
bool gpu_compare_clocks(struct gpu_run *g, struct err *err);

/* Functions of machine_gpu, whose run is a struct gpu_run. */
bool gpu_run_grant(void *run, int to, int64_t *at_ns, struct err *err);
bool gpu_run_look(void *run, bool *idle, struct err *err);
bool gpu_run_time(void *run, int calls, int64_t *ns, struct err *err);
bool gpu_run_event(void *run, struct event *event);

/* Asks kernels to give up, and returns whether all have.  Memory of a GPU that
 * hangs cannot be freed; then the process has to end. */
bool gpu_stop(struct gpu_run *g);

#endif
