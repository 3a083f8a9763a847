/* SPDX-License-Identifier: MIT */
/* NCCL as a carrier of messages (run/message_rank.h) between GPUs: the messages
 * of a step are one group, which test() ends.  They are over when the stream
 * is, which the caller looks at: nothing here waits for a GPU.
 *
 *     struct nccl_carrier n = {.nccl = &nccl, .comm = comm, .stream = stream};
 *     rank.payloads_by = nccl_carrier(&n); */
#ifndef WORKERS_NCCL_NCCL_CARRIER_H
#define WORKERS_NCCL_NCCL_CARRIER_H

#include "run/message_rank.h"
#include "workers/nccl/nccl_api.h"

struct nccl_carrier {
    const struct nccl *nccl;
    struct nccl_comm *comm;
    void *stream;
    bool open; /* a group is; none is after a failure */
};

/* Giving up aborts the communicator, which waits for no peer. */
struct carrier nccl_carrier(struct nccl_carrier *n);

#endif
