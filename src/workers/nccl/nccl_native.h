/* SPDX-License-Identifier: MIT */
/* NCCL's own collectives, on the same input as ours: which function to call,
 * and with which arguments.  Its count is that of the input, or, where the
 * input is cut into a share for each rank, that of a share.  Gather, scatter
 * and all-to-all are new in 2.28.
 *
 * In place there is one buffer.  If a rank's input is one share and its output
 * N shares, or the other way round, the smaller is share `rank` of the larger
 * (collective.h), as NCCL's in-place rules require.
 *
 * NCCL only cuts evenly, and has neither alltoall nor sendrecv in place.  Runs
 * that it cannot do are refused with a sentence, not padded or copied.  Its
 * averages of floats may be rounded differently from ours, which add first and
 * then divide; so may its sums, which it adds in its own order.
 *
 *     struct nccl_native call;
 *     if (!nccl_native(&call, &nccl, s, type, op, count, rank, &err))
 *         return false;
 *     nccl_native_run(&call, &nccl, from, to, comm, stream, &err)
 *
 * Its steps are internal to NCCL and cannot be shown. */
#ifndef WORKERS_NCCL_NCCL_NATIVE_H
#define WORKERS_NCCL_NCCL_NATIVE_H

#include <stdint.h>

#include "run/rank_memory.h"
#include "schedule/schedule.h"
#include "workers/nccl/nccl_api.h"

enum nccl_function {
    NCCL_ALL_REDUCE,
    NCCL_BROADCAST,
    NCCL_REDUCE,
    NCCL_ALL_GATHER,
    NCCL_REDUCE_SCATTER,
    NCCL_GATHER,
    NCCL_SCATTER,
    NCCL_ALL_TO_ALL,
    NCCL_SEND_RECV,
    NCCL_FUNCTIONS
};

/* The call that one rank makes. */
struct nccl_native {
    enum nccl_function function;
    const char *name; /* "ncclAllReduce" */
    size_t count;     /* elements, as the function counts them */
    enum nccl_type type;
    enum nccl_op op;
    int root;
    int next, previous;     /* peers of sendrecv */
    int64_t from_at, to_at; /* where input and output begin in their buffers,
                             * in elements; in place that is one buffer */
    size_t element;         /* bytes */
};

/* Finds the call that rank `rank` makes instead of running the schedule, whose
 * algorithm does not matter, on this input. */
bool nccl_native(struct nccl_native *call, const struct nccl *n,
                 const struct schedule *s, const struct input *in, int rank,
                 struct err *err);

/* Makes the call on device memory: `from` and `to` are a rank's input and
 * output buffer, in place the same.  Several ranks in one process must make
 * their calls in one group. */
bool nccl_native_run(const struct nccl_native *call, const struct nccl *n,
                     unsigned char *from, unsigned char *to,
                     struct nccl_comm *comm, void *stream, struct err *err);

#endif
