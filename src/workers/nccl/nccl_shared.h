/* SPDX-License-Identifier: MIT */
/* What nccl_run.c and the processes of its ranks (nccl_process.h) share: made
 * before they are forked, at the same address in all of them.
 *
 * Everything but `arrived` has one writer. A rank publishes with release how
 * far it is, and writes nothing of what it has published before the next
 * command. */
#ifndef WORKERS_NCCL_NCCL_SHARED_H
#define WORKERS_NCCL_NCCL_SHARED_H

#include "run/machine.h"
#include "run/native.h"
#include "run/rank_call.h"
#include "schedule/message_plan.h"
#include "workers/cuda/gpu.h"
#include "workers/nccl/nccl_api.h"

/* How far a rank is: NCCL_POST_READY + steps it has done. */
enum nccl_post_state { NCCL_POST_STARTS, NCCL_POST_FAILED, NCCL_POST_READY };

/* A command to a rank, an int32_t: to do steps up to and with this one, the
 * division when it is the last; to copy what is on the GPU to `slots`; or to
 * run NCCL's own collective, whose output goes to `own`. */
enum { NCCL_COMMAND_FETCH = -1, NCCL_COMMAND_COMPARE = -2 };

/* Of a rank. */
struct nccl_post {
    int state;         /* of enum nccl_post_state, or more */
    uint64_t answers;  /* to FETCH and COMPARE */
    uint64_t events;   /* published */
    struct err err;    /* why it failed */
    char gpu[GPU_NAME_MAX];
    int ngpus; /* that it sees */
    struct native_times times; /* of the own collective */
    char name[RUN_NAME_MAX];   /* of the own collective */
    char inside[RUN_NAME_MAX]; /* where known */
} __attribute__((aligned(128)));

struct nccl_shared {
    struct nccl_id id; /* rank 0's */
    int id_there;
    int version; /* of NCCL */
    int64_t start_ns;
    uint64_t arrived; /* at the own collective, of all ranks in all rounds */
    struct nccl_post *posts; /* by rank */
};

/* What a rank needs to know, const but for what `shared` points to. */
struct nccl_job {
    const struct schedule *s;
    const struct program *p;
    const struct message_plan *plan;
    struct run_options options;
    int nslots;     /* of the plan */
    struct rank_slot *slots; /* [rank * nslots + slot], shared memory */
    uint64_t *ledger;        /* rows, the same */
    struct rank_slot *own; /* by rank: output of the own collective, chunks
                            * in a row */
    struct rank_log *logs;   /* by rank; the arrays are shared memory */
    struct nccl_shared *shared;
};

#endif
