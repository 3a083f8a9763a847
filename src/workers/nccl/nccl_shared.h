/* SPDX-License-Identifier: MIT */
/* The memory that nccl_run.c and the processes of its ranks (nccl_process.h)
 * share: made before they are forked, at the same address in all of them.
 *
 * Everything except `arrived` has one writer.  A rank publishes its progress
 * with release, and writes nothing that it has published before the next
 * command. */
#ifndef WORKERS_NCCL_NCCL_SHARED_H
#define WORKERS_NCCL_NCCL_SHARED_H

#include "run/machine.h"
#include "run/native.h"
#include "run/rank_call.h"
#include "schedule/message_plan.h"
#include "workers/cuda/gpu.h"
#include "workers/nccl/nccl_api.h"

/* The state of a rank: NCCL_POST_READY + the number of steps done. */
enum nccl_post_state { NCCL_POST_STARTS, NCCL_POST_FAILED, NCCL_POST_READY };

/* A command to a rank, an int32_t: a step, to do all steps up to it (after the
 * last one also the division); FETCH, to copy data from the GPU to `slots`;
 * COMPARE, to run NCCL's own collective, whose output goes to `own`; or TIME,
 * to run all steps `calls` times. */
enum {
    NCCL_COMMAND_FETCH = -1,
    NCCL_COMMAND_COMPARE = -2,
    NCCL_COMMAND_TIME = -3
};

/* The post of a rank. */
struct nccl_post {
    int state;         /* of enum nccl_post_state, or more */
    uint64_t answers;  /* number of commands below 0 done */
    int64_t timed_ns;  /* of all calls of the last TIME */
    uint64_t events;   /* number of events published */
    struct err err;    /* why it failed */
    char gpu[GPU_NAME_MAX];
    int ngpus; /* number of GPUs it sees */
    bool shares; /* some ranks share a GPU, and all go over sockets */
    struct native_times times; /* of NCCL's own collective */
    char name[RUN_NAME_MAX];   /* its name */
    char inside[RUN_NAME_MAX]; /* NCCL's choices; "" if unknown */
} __attribute__((aligned(128)));

struct nccl_shared {
    struct nccl_id id; /* made by rank 0 */
    int id_there;
    int version; /* of NCCL */
    int64_t start_ns;
    uint64_t arrived; /* times that ranks have come to a meeting of all */
    int calls; /* of TIME; the parent writes it before */
    struct nccl_post *posts; /* by rank */
};

/* The facts a rank needs; const except for the memory of `shared`. */
struct nccl_job {
    const struct schedule *s;
    const struct program *p;
    const struct message_plan *plan;
    struct run_options options;
    int nslots;     /* of the plan */
    struct rank_slot *slots; /* [rank * nslots + slot], shared memory */
    uint64_t *ledger;        /* rows, in the same order; NULL: plain */
    struct rank_slot *own; /* by rank: output of NCCL's own collective, with
                            * its chunks in a row */
    struct rank_log *logs;   /* by rank; the arrays are shared memory */
    struct nccl_shared *shared;
};

#endif
