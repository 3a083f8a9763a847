/* SPDX-License-Identifier: MIT */
/* A small fake of NCCL, for tests alone: what nccl_api.h binds, with memory of
 * this process for that of GPUs and nothing asynchronous but what waits for
 * its peer.
 *
 * It is strict where NCCL is: a message meets the first one of its pair that
 * is not met yet, and both have to be of the same size; a collective meets
 * when all ranks have called the same. What has met is carried out in an order
 * that nobody can rely on. What has not met stays pending, as it would on a
 * stream, for ever.
 *
 *     fake_nccl_reset();
 *     nccl_bind(&nccl, fake_nccl_symbol, NULL, &err);
 *     ...
 *     is_int(fake_nccl.pending, 0, "all met"); */
#ifndef TESTS_FAKE_NCCL_H
#define TESTS_FAKE_NCCL_H

#include "workers/nccl/nccl_api.h"

struct fake_nccl {
    /* to be set */
    int version;
    const char *missing; /* a symbol that it lacks */
    int fail_at;         /* the call that fails, from 1; 0: none */
    enum nccl_result async; /* what asynchronous errors there are */
    const char *last_error;
    /* to be read */
    int calls;
    int depth;      /* of groups that are open */
    int comms;      /* alive */
    int pending;    /* what was called and has not met */
    int mismatched; /* what met and did not go together */
};

extern struct fake_nccl fake_nccl;

/* As new: version 2.28.9, nothing fails. */
void fake_nccl_reset(void);

void *fake_nccl_symbol(void *from, const char *name);

/* Whether a communicator's stream is empty. */
bool fake_nccl_idle(const struct nccl_comm *comm);

#endif
