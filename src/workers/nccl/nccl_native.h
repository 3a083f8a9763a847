/* SPDX-License-Identifier: MIT */
/* NCCL's own collectives, on the same input as ours: which is which, and with
 * what arguments.
 *
 * | ours           | NCCL's            | its count            | since |
 * |----------------|-------------------|----------------------|-------|
 * | allreduce      | ncclAllReduce     | of the input         |       |
 * | broadcast      | ncclBroadcast     | of the input         |       |
 * | reduce         | ncclReduce        | of the input         |       |
 * | allgather      | ncclAllGather     | of the input         |       |
 * | reduce-scatter | ncclReduceScatter | of the output: / N   |       |
 * | gather         | ncclGather        | of the input         | 2.28  |
 * | scatter        | ncclScatter       | of the output: / N   | 2.28  |
 * | alltoall       | ncclAlltoAll      | of a share: / N      | 2.28  |
 * | sendrecv       | ncclSend/ncclRecv | of the input         |       |
 *
 * In place is one buffer: where a rank's input is one share and its output N
 * of them, or the other way round, the one is share `rank` of the other
 * (collective.h), which is what NCCL's in-place rules ask for.
 *
 * NCCL cuts evenly, and has neither alltoall nor sendrecv in place: what does
 * not go is refused with a sentence, not padded or copied around. Its averages
 * of floats may be rounded otherwise than ours, which add first and divide
 * then; so may its sums, whose order is its own.
 *
 *     struct nccl_native call;
 *     if (!nccl_native(&call, &nccl, s, type, op, count, rank, &err))
 *         return false;
 *     nccl_native_run(&call, &nccl, from, to, comm, stream, &err)
 *
 * How it does it is NCCL's own; no step of it can be shown. */
#ifndef WORKERS_NCCL_NCCL_NATIVE_H
#define WORKERS_NCCL_NCCL_NATIVE_H

#include <stdint.h>

#include "run/input.h"
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
};

/* What one rank calls. */
struct nccl_native {
    enum nccl_function function;
    const char *name; /* "ncclAllReduce" */
    size_t count;     /* as the function counts: elements */
    enum nccl_type type;
    enum nccl_op op;
    int root;
    int next, previous;     /* peers of sendrecv */
    int64_t from_at, to_at; /* where input and output begin in their buffers,
                             * in elements; in place that is one buffer */
    int64_t from_length, to_length; /* elements of them; 0 where only the root
                                     * has any */
    size_t element;                 /* bytes */
};

/* What rank `rank` has to call instead of running the schedule, whose
 * algorithm does not matter, on such an input. */
bool nccl_native(struct nccl_native *call, const struct nccl *n,
                 const struct schedule *s, const struct input *in, int rank,
                 struct err *err);

/* Calls it, on device memory: `from` and `to` are a rank's input and output
 * buffer, in place the same. With several ranks in a process it has to stand
 * in a group with the others'. */
bool nccl_native_run(const struct nccl_native *call, const struct nccl *n,
                     unsigned char *from, unsigned char *to,
                     struct nccl_comm *comm, void *stream, struct err *err);

#endif
