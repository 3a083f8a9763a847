/* SPDX-License-Identifier: MIT */
/* Shared by the files of the fake of NCCL between processes: fake_nccl_world.c
 * has messages, fake_nccl_own.c the collectives. */
#ifndef TESTS_FAKE_NCCL_WORLD_H
#define TESTS_FAKE_NCCL_WORLD_H

#include "workers/nccl/nccl_api.h"

enum { FAKE_RANKS = 256 };

struct nccl_comm {
    int rank, nranks;
    char folder[NCCL_ID_BYTES];
    int pipes[2][FAKE_RANKS]; /* from and to each; 0: not open */
    bool met[2][FAKE_RANKS];  /* whether those are connected */
};

size_t fake_nccl_bytes(size_t count, enum nccl_type type);

/* Whether the rank's next call is to fail. */
bool fake_nccl_fails(void);

/* Every rank sends `bytes` to every rank: from + q * step goes to rank q, and
 * the data of rank q arrives at to + q * bytes. */
void fake_nccl_exchange(struct nccl_comm *comm, const void *from, size_t step,
                        void *to, size_t bytes);

/* Fills in NCCL's own collectives. */
void fake_nccl_own(struct nccl *n);

#endif
