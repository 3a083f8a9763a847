/* SPDX-License-Identifier: MIT */
/* A small fake of NCCL, for tests: the functions that nccl_api.h binds. Memory
 * of GPUs is memory of this process, and only a call that waits for its peer is
 * asynchronous.
 *
 * It is as strict as NCCL: a message meets the first message of its pair that
 * has not met, and both must have the same size; a collective meets when all
 * ranks have called the same. Calls that have met are carried out in an order
 * that nobody can rely on. Calls that have not met stay pending for ever, as
 * they would on a stream.
 *
 *     fake_nccl_reset();
 *     nccl_bind(&nccl, fake_nccl_symbol, NULL, &err);
 *     ...
 *     is_int(fake_nccl.pending, 0, "all met"); */
#ifndef TESTS_FAKE_NCCL_H
#define TESTS_FAKE_NCCL_H

#include "workers/nccl/nccl_api.h"

struct fake_nccl {
    /* Set by the test. */
    int version;
    const char *missing; /* a symbol that the library lacks */
    int fail_at;         /* the call that fails, from 1; 0: none */
    enum nccl_result async; /* the asynchronous error */
    const char *last_error;
    /* Read by the test. */
    int calls;
    int depth;      /* of open groups */
    int comms;      /* that are open */
    int pending;    /* calls that have not met */
    int mismatched; /* calls that met, but did not match */
};

extern struct fake_nccl fake_nccl;

/* Sets all members to their defaults: version 2.28.9, nothing fails. */
void fake_nccl_reset(void);

void *fake_nccl_symbol(void *from, const char *name);

/* Whether a communicator's stream is empty. */
bool fake_nccl_idle(const struct nccl_comm *comm);

#endif
