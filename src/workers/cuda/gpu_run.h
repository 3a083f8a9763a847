/* SPDX-License-Identifier: MIT */
/* Runs a program on GPUs: a rank is one or several thread blocks.
 *
 * A grant is one cooperative launch on each GPU that has ranks.  The kernel
 * ends by itself, so in lockstep no kernel ever waits for a person.  In a
 * watched run events arrive in mapped host memory while kernels run.  A grant
 * after the last step starts over, on the data that is there.
 *
 * A rank's slots lie in the memory of its GPU, except those that a GPU without
 * peer access pulls from, which lie in mapped host memory (placement.h).
 * Counters lie on their rank's GPU if all GPUs reach each other, else in mapped
 * host memory; so does the ledger where there are several GPUs.
 *
 *     gpu_run.c       the whole run and its memory, from creation to end
 *     gpu_launch.c    grants: launches, whether they are over, their events */
#ifndef WORKERS_CUDA_GPU_RUN_H
#define WORKERS_CUDA_GPU_RUN_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "base/err.h"
#include "run/machine.h"
#include "run/prepare.h"
#include "run/rank_call.h"
#include "run/rank_memory.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/gpu.h"
#include "workers/cuda/kernels.h"
#include "workers/cuda/placement.h"

extern const struct machine machine_gpu;

/* The addresses of slots on GPUs, and copies of their data in this process.
 *
 * Each slot begins on a boundary that suits 16-byte accesses. `there` has the
 * addresses that kernels use; `here` those of copies in this process, the same
 * for slots in mapped host memory.  The slots that are on a GPU are in one
 * piece of memory, there and here, so one copy takes all of them across. */
struct gpu_slots {
    int nslots;
    struct rank_slot *there, *here; /* [rank * nslots + slot] */
};

/* The slots that are on one GPU. */
struct gpu_image {
    size_t bytes;
    unsigned char *there, *here;
};

/* The difference between a GPU's clock and the host's.
 *
 * %globaltimer counts nanoseconds from some moment of its own, and advances in
 * ticks, of 32 ns or 1 us on common GPUs.  A kernel answers the host several
 * times.  Each answer was given between the host's question and the moment when
 * the host saw the answer, so the quickest round gives the difference of the
 * clocks to within half of that time and a tick. */
struct gpu_clock {
    int64_t ahead_ns;       /* base/clock.h's time less the GPU's */
    int64_t uncertainty_ns; /* of that, to either side, at that moment: the
                             * clocks drift apart later */
};

/* Memory that both sides see, for questions and answers; mapped. */
struct gpu_clock_desk {
    uint64_t asked, stop;
    uint64_t answered, time_ns, tick_ns;
};

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
    int64_t slice_bytes; /* in a full run */
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

size_t gpu_counters_bytes(const struct gpu_run *g, int nranks);

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
