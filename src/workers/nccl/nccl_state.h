/* SPDX-License-Identifier: MIT */
/* The state of a rank's process, shared by the files that implement it:
 *
 *     nccl_process.c   joins, obeys commands, ends
 *     nccl_step.c      a step: its group, its works, its reports
 *     nccl_time.c      timed calls of a plain run
 *     nccl_compare.c   NCCL's own collective, to compare with */
#ifndef WORKERS_NCCL_NCCL_STATE_H
#define WORKERS_NCCL_NCCL_STATE_H

#include "workers/cuda/gpu_memory.h"
#include "workers/nccl/nccl_exchange.h"
#include "workers/nccl/nccl_native.h"
#include "workers/nccl/nccl_shared.h"

/* NCCL's own collective, on memory of its own. */
struct nccl_own {
    struct nccl_native call;
    void *input;    /* a copy of the original input */
    void *from, *to; /* the same buffer in place */
};

struct nccl_process {
    const struct nccl_job *job;
    int rank;
    struct nccl_post *post; /* its own */
    struct nccl nccl;
    struct nccl_rank self; /* its communicator, stream, slots and rows */
    size_t element, row; /* bytes of each */
    struct gpu_memory memory;
    unsigned char **data, **rows; /* by slot: on the GPU */
    uint64_t *contents; /* on the GPU: what a step reports */
    struct nccl_own own;
    int step;                    /* the last one done */
    uint64_t nevents, ncontents; /* so far */
    uint64_t meetings; /* so far */
};

/* Waits until the rank's stream is empty, napping or not.  Returns false if
 * this rank or a peer fails: a lost peer does not show in the stream. */
bool nccl_wait(const struct nccl_process *me, bool naps, struct err *err);

/* The most slots that one step reports. */
size_t nccl_reports_max(const struct nccl_process *me);

/* Waits until all ranks have come to this meeting.  They then continue within
 * microseconds of each other, if each has a core.  If a rank fails, the parent
 * ends all of them. */
void nccl_meet(struct nccl_process *me);

/* Times shared->calls calls of a plain run, and puts the ns into the post. */
bool nccl_time(struct nccl_process *me, struct err *err);

/* Does a step; nsteps + 1 is the division.  A watched run waits for the GPU and
 * logs the step's events; a plain one only puts the step into the stream. */
bool nccl_do_step(struct nccl_process *me, int step, struct err *err);

/* Finds NCCL's own collective and makes room for it; returns false if it has
 * none. */
bool nccl_compare_prepare(struct nccl_process *me, struct err *err);

/* Runs it NATIVE_ROUNDS times, or once and then as often as a timed run asks
 * for, measures, and leaves the output in shared memory. */
bool nccl_compare(struct nccl_process *me, struct err *err);

#endif
