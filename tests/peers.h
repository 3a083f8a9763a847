/* SPDX-License-Identifier: MIT */
/* What bench_peers.c and its peers share: the cells of the table, the values
 * that ranks give and must end with, and the board through which bench_peers
 * commands a peer.
 *
 * A peer is N processes (peer_mpi.c, peer_gloo.cc) that map the same file.
 * They sleep until `command` has a new number, all do what it says, and count
 * themselves in `done`.  So peers take turns on the same cores, and one that
 * waits costs nothing.
 *
 * Sizes are those of nccl-tests: S is what a rank has in an all-reduce, a
 * broadcast and an all-to-all, the input of a reduce-scatter and the output of
 * an all-gather. */
#ifndef TESTS_PEERS_H
#define TESTS_PEERS_H

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/dtype.h"

enum peer_collective {
    PEER_ALLREDUCE,
    PEER_ALLGATHER,
    PEER_REDUCE_SCATTER,
    PEER_BROADCAST,
    PEER_ALLTOALL,
    PEER_COLLECTIVES
};

/* A collective call of n ranks, float32, sum; broadcasts are from rank 0. */
struct peer_cell {
    enum peer_collective collective;
    bool in_place;
    int64_t count; /* elements of S, a multiple of n */
};

enum peer_order { PEER_PREPARE, PEER_CHECK, PEER_TIME, PEER_FREE, PEER_QUIT };

struct peer_board {
    uint32_t command; /* number of the last one; a futex */
    uint32_t done;    /* processes that have carried it out; a futex */
    uint32_t wrong;   /* of those, with a wrong result */
    enum peer_order order;
    struct peer_cell cell; /* of PEER_PREPARE */
    bool cannot;           /* the peer has no such collective */
    int variant;           /* of PEER_CHECK, PEER_TIME: peer_mpi.c */
    int calls;             /* of PEER_TIME */
    double us;             /* a call, on the slowest rank */
    char variants[256];    /* names, each followed by a blank */
};

/* Waits while *word is `value`, but at most `ms`. */
static inline void
peer_sleep(uint32_t *word, uint32_t value, int ms)
{
    struct timespec limit = {ms / 1000, ms % 1000 * 1000000L};

    if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
        syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
}

static inline void
peer_wake(uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* For peers: maps the file. Returns NULL if that fails. */
static inline struct peer_board *
peer_open(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *board = fd < 0 ? MAP_FAILED
                         : mmap(NULL, sizeof(struct peer_board),
                                PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return board != MAP_FAILED ? (struct peer_board *)board : NULL;
}

/* Says that the last command is carried out, and waits for the next one, whose
 * number is *heard from then on.  Returns false if that is to quit. */
static inline bool
peer_next(struct peer_board *board, uint32_t *heard)
{
    __atomic_fetch_add(&board->done, 1, __ATOMIC_RELEASE);
    peer_wake(&board->done);
    while (__atomic_load_n(&board->command, __ATOMIC_ACQUIRE) == *heard)
        peer_sleep(&board->command, *heard, 1000);
    ++*heard;
    return board->order != PEER_QUIT;
}

/* Elements of a rank's input, and of its output. */
static inline int64_t
peer_inputs(const struct peer_cell *c, int n)
{
    return c->collective == PEER_ALLGATHER ? c->count / n : c->count;
}

static inline int64_t
peer_outputs(const struct peer_cell *c, int n)
{
    return c->collective == PEER_REDUCE_SCATTER ? c->count / n : c->count;
}

/* Where in its buffer a rank's input, and output, begins if the call is in
 * place. */
static inline int64_t
peer_input_at(const struct peer_cell *c, int n, int rank)
{
    return c->in_place && c->collective == PEER_ALLGATHER
               ? rank * (c->count / n) : 0;
}

static inline float
peer_value(int rank, int64_t index)
{
    float value;

    dtype_default(DTYPE_FLOAT32, REDOP_SUM, rank, index, &value);
    return value;
}

/* What element `i` of a rank's output must be. */
static inline float
peer_expected(const struct peer_cell *c, int n, int rank, int64_t i)
{
    int64_t unit = c->count / n;
    float sum = 0;

    switch (c->collective) {
    case PEER_ALLGATHER:
        return peer_value((int)(i / unit), i % unit);
    case PEER_BROADCAST:
        return peer_value(0, i);
    case PEER_ALLTOALL:
        return peer_value((int)(i / unit), rank * unit + i % unit);
    case PEER_REDUCE_SCATTER:
        i += rank * unit;
        break;
    default:
        break;
    }
    for (int r = 0; r < n; r++)
        sum += peer_value(r, i);
    return sum;
}

static inline void
peer_write_input(const struct peer_cell *c, int n, int rank, float *in)
{
    int64_t count = peer_inputs(c, n);

    if (c->collective == PEER_BROADCAST && rank > 0)
        count = 0;
    for (int64_t i = 0; i < count; i++)
        in[peer_input_at(c, n, rank) + i] = peer_value(rank, i);
}

/* Which elements of an output are looked at: about 4000, in all parts of it. */
static inline int64_t
peer_stride(int64_t count)
{
    return 1 + count / 4001;
}

static inline bool
peer_is_right(const struct peer_cell *c, int n, int rank, const float *out)
{
    int64_t count = peer_outputs(c, n);

    for (int64_t i = 0; i < count; i += peer_stride(count))
        if (out[i] != peer_expected(c, n, rank, i))
            return false;
    return true;
}

#endif
