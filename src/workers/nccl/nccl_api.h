/* SPDX-License-Identifier: MIT */
/* NCCL, loaded when it is needed: libnccl.so.2 is opened with dlopen, so a
 * worker can start without it and report what is missing.
 *
 * nccl.h is not needed to compile this.  The numbers and functions below are
 * those of NCCL 2.28.9, unchanged since 2.18 except for the optional ones,
 * which are new in 2.28.  If nccl.h is installed, tests/nccl_abi.c compares
 * them with it.  A stream is a cudaStream_t, which is a pointer.
 *
 *     struct nccl nccl;
 *     if (!nccl_open(&nccl, &err))
 *         return false;
 *     if (!nccl_ok(&nccl, nccl.group_start(), "ncclGroupStart", NULL, &err))
 *         ...
 *
 * The library stays loaded until the process ends, because it has threads of
 * its own.  Communicators come from ncclCommInitRank, so calls block.  A
 * process that waits for a peer that never comes must be ended from outside. */
#ifndef WORKERS_NCCL_NCCL_API_H
#define WORKERS_NCCL_NCCL_API_H

#include <stdbool.h>
#include <stddef.h>

#include "base/dtype.h"
#include "base/err.h"
#include "run/message_rank.h"

enum {
    NCCL_OLDEST = 21800, /* as ncclGetVersion counts: 2.18.0 */
    NCCL_ID_BYTES = 128,
    NCCL_VERSION_TEXT_MAX = 40,
};

enum nccl_result {
    NCCL_SUCCESS = 0,
    NCCL_UNHANDLED_CUDA_ERROR = 1,
    NCCL_SYSTEM_ERROR = 2,
    NCCL_INTERNAL_ERROR = 3,
    NCCL_INVALID_ARGUMENT = 4,
    NCCL_INVALID_USAGE = 5,
    NCCL_REMOTE_ERROR = 6,
    NCCL_IN_PROGRESS = 7,
};

enum nccl_type {
    NCCL_UINT8 = 1,
    NCCL_INT32 = 2,
    NCCL_INT64 = 4,
    NCCL_FLOAT16 = 6,
    NCCL_FLOAT32 = 7,
    NCCL_FLOAT64 = 8,
    NCCL_BFLOAT16 = 9,
};

enum nccl_op {
    NCCL_SUM = 0,
    NCCL_PROD = 1,
    NCCL_MAX = 2, /* before min, unlike ours */
    NCCL_MIN = 3,
    NCCL_AVG = 4,
    NCCL_OPS = 5,
};

struct nccl_comm;

/* Passed by value, as ncclUniqueId is. */
struct nccl_id {
    char internal[NCCL_ID_BYTES];
};

/* Entry points that return a result: X(field, name, parameters). */
#define NCCL_NEEDED(X)                                                        \
    X(get_version, ncclGetVersion, (int *version))                            \
    X(get_unique_id, ncclGetUniqueId, (struct nccl_id *id))                   \
    X(comm_init_rank, ncclCommInitRank,                                       \
      (struct nccl_comm **comm, int nranks, struct nccl_id id, int rank))     \
    X(comm_abort, ncclCommAbort, (struct nccl_comm *comm))                    \
    X(comm_get_async_error, ncclCommGetAsyncError,                            \
      (struct nccl_comm *comm, enum nccl_result *result))                     \
    X(group_start, ncclGroupStart, (void))                                    \
    X(group_end, ncclGroupEnd, (void))                                        \
    X(send, ncclSend,                                                         \
      (const void *from, size_t count, enum nccl_type type, int peer,         \
       struct nccl_comm *comm, void *stream))                                 \
    X(recv, ncclRecv,                                                         \
      (void *to, size_t count, enum nccl_type type, int peer,                 \
       struct nccl_comm *comm, void *stream))                                 \
    X(all_reduce, ncclAllReduce,                                              \
      (const void *from, void *to, size_t count, enum nccl_type type,         \
       enum nccl_op op, struct nccl_comm *comm, void *stream))                \
    X(broadcast, ncclBroadcast,                                               \
      (const void *from, void *to, size_t count, enum nccl_type type,         \
       int root, struct nccl_comm *comm, void *stream))                       \
    X(reduce, ncclReduce,                                                     \
      (const void *from, void *to, size_t count, enum nccl_type type,         \
       enum nccl_op op, int root, struct nccl_comm *comm, void *stream))      \
    X(all_gather, ncclAllGather,                                              \
      (const void *from, void *to, size_t count, enum nccl_type type,         \
       struct nccl_comm *comm, void *stream))                                 \
    X(reduce_scatter, ncclReduceScatter,                                      \
      (const void *from, void *to, size_t count, enum nccl_type type,         \
       enum nccl_op op, struct nccl_comm *comm, void *stream))

/* The same; NULL if the library does not have them (before 2.28). */
#define NCCL_OPTIONAL(X)                                                      \
    X(all_to_all, ncclAlltoAll,                                               \
      (const void *from, void *to, size_t count, enum nccl_type type,         \
       struct nccl_comm *comm, void *stream))                                 \
    X(gather, ncclGather,                                                     \
      (const void *from, void *to, size_t count, enum nccl_type type,         \
       int root, struct nccl_comm *comm, void *stream))                       \
    X(scatter, ncclScatter,                                                   \
      (const void *from, void *to, size_t count, enum nccl_type type,         \
       int root, struct nccl_comm *comm, void *stream))

struct nccl {
    int version; /* 22809: 2.28.9 */
#define NCCL_FIELD(field, name, parameters) \
    enum nccl_result (*field) parameters;
    NCCL_NEEDED(NCCL_FIELD)
    NCCL_OPTIONAL(NCCL_FIELD)
#undef NCCL_FIELD
    const char *(*get_error_string)(enum nccl_result result);
    const char *(*get_last_error)(struct nccl_comm *comm); /* may be NULL */
};

/* Opens libnccl.so.2, which the dynamic linker finds or which is in
 * /usr/local/cuda.  Returns false, with what is missing and what to do in *err.
 * NCCL reads its environment once, so call nccl_share_gpu() before. */
bool nccl_open(struct nccl *n, struct err *err);

/* Binds a library that is open: find(from, name) returns a symbol, or NULL if
 * the library does not have it. */
bool nccl_bind(struct nccl *n, void *(*find)(void *from, const char *name),
               void *from, struct err *err);

/* Whether `call`, the name of an entry point, succeeded; if not, *err has
 * NCCL's message. `comm` may be NULL. */
bool nccl_ok(const struct nccl *n, enum nccl_result result, const char *call,
             struct nccl_comm *comm, struct err *err);

/* Whether the communicator has no asynchronous error.  Must be asked while a
 * stream is not finished: a lost rank shows nowhere else. */
bool nccl_healthy(const struct nccl *n, struct nccl_comm *comm,
                  struct err *err);

/* "2.28.9". */
void nccl_version_text(int version, char text[NCCL_VERSION_TEXT_MAX]);

enum nccl_type nccl_type_of(enum dtype type);
enum nccl_op nccl_op_of(enum redop op);

/* Several NCCL ranks on one GPU, for a laptop or a class.
 *
 * NCCL refuses a second rank on a GPU ("Duplicate GPU detected"), and
 * identifies a GPU by host and bus, which MIG devices of a GPU share.  With a
 * process for each rank there are two ways around it: before 2.30 each process
 * pretends to be on a host of its own; 2.30 has a switch for it.  Either way
 * ranks communicate over sockets on the loopback interface, so that nothing
 * assumes shared memory: correct, but slow.
 *
 * Sets this in the environment of this process, that of `rank`, which must not
 * have used NCCL before: NCCL reads its environment once (ncclGetVersion reads
 * none of it).  Settings of the user's stay if they can work. */
void nccl_share_gpu(int version, int rank);

/* NCCL as a carrier of messages between GPUs: the messages of a step are one
 * group, which test() ends.  They are over when the stream is, which the caller
 * looks at: nothing here waits for a GPU.
 *
 *     struct nccl_carrier n = {.nccl = &nccl, .comm = comm, .stream = stream};
 *     rank.payloads_by = nccl_carrier(&n); */
struct nccl_carrier {
    const struct nccl *nccl;
    struct nccl_comm *comm;
    void *stream;
    bool open; /* a group is; none is after a failure */
};

/* Giving up aborts the communicator, which waits for no peer. */
struct carrier nccl_carrier(struct nccl_carrier *n);

#endif
