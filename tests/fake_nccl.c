/* SPDX-License-Identifier: MIT */
/* A fake of NCCL between processes, for tests/collviz-cuda and
 * tests/collviz-mpi: the functions that they use.  Messages go through named
 * pipes, one for each pair of ranks, in a folder that the id names.  A stream
 * with a group is over when all of its messages are through.  Before the first
 * message from one rank to another each waits for the other in ncclGroupEnd.
 *
 *     FAKE_NCCL=DIR        such folders are made there; not set: no library
 *     FAKE_NCCL_FAIL=R:K   rank R's call number K fails, from 1
 *     FAKE_NCCL_DIE=R:K    rank R's process dies in it
 *     FAKE_NCCL_WRONG=1    rank 1's all-reduce has a wrong first element
 *
 * In NCCL's own collectives all ranks exchange all data, and each takes what it
 * needs; sums are made in the order of ranks.  They are reported to a profiler
 * as NCCL 2.28.9 does: it finds the profiler by its name in the program itself,
 * and passes the struct declared here. */
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "fake_cuda/fake_stream.h"
#include "run/kernels.h"
#include "workers/nccl/nccl_api.h"

enum { FAKE_RANKS = 256 };

struct nccl_comm {
    int rank, nranks;
    char folder[NCCL_ID_BYTES];
    int pipes[2][FAKE_RANKS]; /* from and to each; 0: not open */
    bool met[2][FAKE_RANKS];  /* whether those are connected */
};

struct parcel {
    struct nccl_comm *comm;
    bool sent;
    int peer;
    unsigned char *at;
    size_t left;
};

static struct parcel *messages;
static size_t nmessages, capacity;
static void *stream_of_group;
static int depth, calls, rank = -1;
static bool first; /* the next message is the first one of its group */

static enum dtype
dtype_of(enum nccl_type type)
{
    enum dtype t = DTYPE_FLOAT32;

    while (nccl_type_of(t) != type)
        t++;
    return t;
}

static size_t
bytes_of(size_t count, enum nccl_type type)
{
    return count * dtype_size(dtype_of(type));
}

static bool
is_turn(const char *name)
{
    const char *which = getenv(name);
    int who, call;

    return which != NULL && sscanf(which, "%d:%d", &who, &call) == 2 &&
           who == rank && call == calls;
}

/* Whether the rank's next call is to fail. */
static bool
fails(void)
{
    calls++;
    if (is_turn("FAKE_NCCL_DIE"))
        raise(SIGKILL);
    return is_turn("FAKE_NCCL_FAIL");
}

/* Opens the pipe from the sender of a message to its receiver. */
static int
open_pipe(const struct parcel *m, const char *kind, int flags)
{
    struct nccl_comm *c = m->comm;
    char path[NCCL_ID_BYTES + 32];

    snprintf(path, sizeof path, "%s/%d-%d%s", c->folder,
             m->sent ? c->rank : m->peer, m->sent ? m->peer : c->rank, kind);
    mkfifo(path, 0600);
    return open(path, O_RDWR | O_CLOEXEC | flags);
}

static int
pipe_of(const struct parcel *m)
{
    int *fd = &m->comm->pipes[m->sent][m->peer];

    if (*fd == 0)
        *fd = open_pipe(m, "", O_NONBLOCK);
    return *fd;
}

/* Sender and receiver each write a byte to the other, and then read one.  What
 * was written into a pipe is lost once nobody has it open. */
static void
greet(const struct parcel *m, bool begin)
{
    bool out = begin == m->sent;
    int fd = open_pipe(m, out ? ".begin" : ".end", 0);
    char byte = 0;
    ssize_t n = begin ? write(fd, &byte, 1) : read(fd, &byte, 1);

    if (n != 1)
        abort();
    if (!begin) {
        m->comm->met[m->sent][m->peer] = true;
        close(fd);
    }
}

static void
connect_peers(void)
{
    for (int begin = 1; begin >= 0; begin--)
        for (size_t i = 0; i < nmessages; i++)
            if (!messages[i].comm->met[messages[i].sent][messages[i].peer])
                greet(&messages[i], begin);
}

/* Whether an earlier message has the same pipe and is not through. */
static bool
has_to_wait(size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (messages[k].left > 0 && messages[k].sent == messages[i].sent &&
            messages[k].peer == messages[i].peer)
            return true;
    return false;
}

/* Moves all data that can be moved now. */
static bool
move(size_t i)
{
    struct parcel *m = &messages[i];
    ssize_t n;

    if (m->left == 0 || has_to_wait(i))
        return m->left > 0;
    n = m->sent ? write(pipe_of(m), m->at, m->left)
                : read(pipe_of(m), m->at, m->left);
    if (n > 0) {
        m->at += n;
        m->left -= (size_t)n;
    }
    return m->left > 0;
}

static enum nccl_result
fake_group_start(void)
{
    if (fails())
        return NCCL_SYSTEM_ERROR;
    first = first || depth == 0;
    depth++;
    return NCCL_SUCCESS;
}

/* Moves all messages as far as they go. Returns whether some are not
 * through. */
static bool
carry(void)
{
    bool more = false;

    for (size_t i = 0; i < nmessages; i++)
        more |= move(i);
    if (!more)
        nmessages = 0;
    return more;
}

static enum nccl_result
fake_group_end(void)
{
    bool last = --depth == 0;

    if (fails())
        return NCCL_SYSTEM_ERROR;
    if (last && nmessages > 0) {
        connect_peers();
        fake_stream_wait(stream_of_group, carry);
    }
    return NCCL_SUCCESS;
}

static void
push(struct parcel m)
{
    messages = mem_grow(messages, nmessages, &capacity, sizeof *messages);
    messages[nmessages++] = m;
}

/* Every rank sends `bytes` to every rank: from + q * step goes to rank q, and
 * the data of rank q arrives at to + q * bytes. */
static void
exchange(struct nccl_comm *comm, const void *from, size_t step, void *to,
         size_t bytes)
{
    for (int q = 0; q < comm->nranks; q++) {
        unsigned char *given = (unsigned char *)from + (size_t)q * step;
        unsigned char *found = (unsigned char *)to + (size_t)q * bytes;
        if (q == comm->rank) {
            memcpy(found, given, bytes);
            continue;
        }
        push((struct parcel){comm, true, q, given, bytes});
        push((struct parcel){comm, false, q, found, bytes});
    }
    while (carry())
        sched_yield();
}

static enum nccl_result
add(struct parcel m, void *stream)
{
    if (fails())
        return NCCL_SYSTEM_ERROR;
    if (!fake_is_on_gpu(m.at))
        return NCCL_INVALID_ARGUMENT;
    if (first) /* `messages` still has those of a group that goes on */
        fake_stream_join(stream);
    first = false;
    stream_of_group = stream;
    push(m);
    return NCCL_SUCCESS;
}

static enum nccl_result
fake_send(const void *from, size_t count, enum nccl_type type, int peer,
          struct nccl_comm *comm, void *stream)
{
    return add((struct parcel){comm, true, peer, (unsigned char *)from,
                                bytes_of(count, type)}, stream);
}

static enum nccl_result
fake_recv(void *to, size_t count, enum nccl_type type, int peer,
          struct nccl_comm *comm, void *stream)
{
    return add((struct parcel){comm, false, peer, to,
                                bytes_of(count, type)}, stream);
}

static enum nccl_result
fake_get_version(int *version)
{
    *version = 22809;
    return NCCL_SUCCESS;
}

static enum nccl_result
fake_get_unique_id(struct nccl_id *id)
{
    rank = 0; /* who else */
    snprintf(id->internal, sizeof id->internal, "%s/XXXXXX",
             getenv("FAKE_NCCL"));
    return fails() || mkdtemp(id->internal) == NULL
               ? NCCL_SYSTEM_ERROR
               : NCCL_SUCCESS;
}

/* Like NCCL, refuses a second rank on a GPU unless it says that it is on
 * another host, and waits for all ranks. */
static enum nccl_result
fake_comm_init_rank(struct nccl_comm **comm, int nranks, struct nccl_id id,
                    int which)
{
    const char *gpus = getenv("FAKE_CUDA_GPUS"), *mig = getenv("FAKE_CUDA_MIG");
    const char *host = getenv("NCCL_HOSTID");
    char want[32], here[1] = "", there[FAKE_RANKS];

    rank = which;
    snprintf(want, sizeof want, "collviz-%d", which);
    if (fails() ||
        ((gpus != NULL && mig == NULL ? atoi(gpus) : 1) < nranks &&
                    (host == NULL || strcmp(host, want) != 0)))
        return NCCL_INVALID_USAGE;
    *comm = mem_new(1, sizeof **comm);
    (*comm)->rank = which;
    (*comm)->nranks = nranks;
    memcpy((*comm)->folder, id.internal, NCCL_ID_BYTES);
    exchange(*comm, here, 0, there, 1);
    return NCCL_SUCCESS;
}

static enum nccl_result
fake_comm_abort(struct nccl_comm *comm)
{
    nmessages = 0;
    free(comm);
    return NCCL_SUCCESS;
}

static enum nccl_result
fake_comm_get_async_error(struct nccl_comm *comm, enum nccl_result *result)
{
    (void)comm;
    *result = NCCL_SUCCESS;
    return NCCL_SUCCESS;
}

static const char *
fake_get_error_string(enum nccl_result result)
{
    return result == NCCL_INVALID_USAGE ? "invalid usage" : "system error";
}

static const char *
fake_get_last_error(struct nccl_comm *comm)
{
    (void)comm;
    return "";
}

/* NCCL's own collectives -------------------------------------------------- */

typedef struct {
    uint64_t type;
    void *parentObj;
    int rank;
    union {
        struct {
            uint64_t seqNumber;
            const char *func;
            void const *sendBuff;
            void *recvBuff;
            size_t count;
            int root;
            const char *datatype;
            uint8_t nChannels;
            uint8_t nWarps;
            const char *algo;
            const char *proto;
            void *parentGroup;
        } coll;
        char others[64];
    };
} event_v5;

typedef struct {
    const char *name;
    int (*init)(void **context, uint64_t comm, int *mask, const char *name,
                int nodes, int nranks, int rank, void *log);
    int (*startEvent)(void *context, void **event, event_v5 *about);
    int (*stopEvent)(void *event);
} profiler_v5;

static void
profile(void)
{
    const char *plugin = getenv("NCCL_PROFILER_PLUGIN");
    event_v5 about = {.type = 1 << 1,
                      .coll = {.nChannels = 1, .algo = "RING",
                               .proto = "SIMPLE"}};
    const profiler_v5 *p;
    void *context, *event;
    int mask;

    if (plugin == NULL || strcasecmp(plugin, "STATIC_PLUGIN") != 0)
        return;
    p = dlsym(dlopen(NULL, RTLD_NOW), "ncclProfiler_v5");
    if (p == NULL)
        return;
    p->init(&context, 0, &mask, NULL, 1, 1, 0, NULL);
    if (mask & 1 << 1)
        p->startEvent(context, &event, &about);
}

static enum redop
redop_of(enum nccl_op op)
{
    enum redop o = REDOP_SUM;

    while (nccl_op_of(o) != op)
        o++;
    return o;
}

/* Returns what all have given; the caller frees it. `shares`: each has a share
 * for every rank. */
static unsigned char *
collect(struct nccl_comm *c, const void *from, size_t bytes, bool shares)
{
    unsigned char *all = mem_new((size_t)c->nranks, bytes);

    exchange(c, from, shares ? bytes : 0, all, bytes);
    return all;
}

/* Whether buffers lie as NCCL wants them: apart, or with a rank's share in its
 * place in the longer one. */
static bool
lie_well(const struct nccl_comm *c, const unsigned char *from, size_t in,
         const unsigned char *to, size_t out)
{
    size_t share = (size_t)c->rank * (in < out ? in : out);

    return from + in <= to || to + out <= from ||
           (in < out   ? from == to + share
            : in > out ? to == from + share
                       : to == from);
}

static enum nccl_result
sum(struct nccl_comm *c, const void *from, void *to, size_t count,
    enum nccl_type type, enum nccl_op op, bool shares, bool keep)
{
    enum dtype t = dtype_of(type);
    struct kernels k = kernels_for(t, redop_of(op));
    size_t bytes = bytes_of(count, type);
    unsigned char *all;

    if (fails())
        return NCCL_SYSTEM_ERROR;
    if (!lie_well(c, from, shares ? (size_t)c->nranks * bytes : bytes, to,
                  bytes))
        return NCCL_INVALID_ARGUMENT;
    profile();
    all = collect(c, from, bytes, shares);
    for (int q = 1; q < c->nranks; q++)
        k.combine(all, all, all + (size_t)q * bytes, (int64_t)count);
    if (op == NCCL_AVG)
        k.divide(all, (int64_t)count, c->nranks);
    if (keep)
        memcpy(to, all, bytes);
    if (getenv("FAKE_NCCL_WRONG") != NULL && c->rank == 1 && count > 0)
        *(unsigned char *)to ^= 1;
    free(all);
    return NCCL_SUCCESS;
}

/* `of`: the rank whose data is needed, or -1: that of all ranks, in a row. */
static enum nccl_result
spread(struct nccl_comm *c, const void *from, void *to, size_t count,
       enum nccl_type type, bool shares, int of, bool keep)
{
    size_t bytes = bytes_of(count, type);
    unsigned char *all;

    if (fails())
        return NCCL_SYSTEM_ERROR;
    if (!lie_well(c, from, shares ? (size_t)c->nranks * bytes : bytes, to,
                  of < 0 ? (size_t)c->nranks * bytes : bytes))
        return NCCL_INVALID_ARGUMENT;
    profile();
    all = collect(c, from, bytes, shares);
    if (keep && of >= 0)
        memcpy(to, all + (size_t)of * bytes, bytes);
    else if (keep)
        memcpy(to, all, (size_t)c->nranks * bytes);
    free(all);
    return NCCL_SUCCESS;
}

/* A collective of NCCL's. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define NCCLS(name, parameters, how)            \
    static enum nccl_result name parameters     \
    {                                           \
        return how;                             \
    }
#define HEAD const void *from, void *to, size_t count, enum nccl_type type
#define TAIL struct nccl_comm *c, void *stream

NCCLS(all_reduce, (HEAD, enum nccl_op op, TAIL),
    sum(c, from, to, count, type, op, false, true))
NCCLS(reduce, (HEAD, enum nccl_op op, int root, TAIL),
    sum(c, from, to, count, type, op, false, c->rank == root))
NCCLS(reduce_scatter, (HEAD, enum nccl_op op, TAIL),
    sum(c, from, to, count, type, op, true, true))
NCCLS(broadcast, (HEAD, int root, TAIL),
    spread(c, from, to, count, type, false, root, true))
NCCLS(all_gather, (HEAD, TAIL),
    spread(c, from, to, count, type, false, -1, true))
NCCLS(all_to_all, (HEAD, TAIL),
    spread(c, from, to, count, type, true, -1, true))
NCCLS(gather, (HEAD, int root, TAIL),
    spread(c, from, to, count, type, false, -1, c->rank == root))
/* Only the root has shares; other ranks' memory may be shorter. */
NCCLS(scatter, (HEAD, int root, TAIL),
    spread(c, from, to, count, type, c->rank == root, root, true))

bool
nccl_open(struct nccl *n, struct err *err)
{
    if (getenv("FAKE_NCCL") == NULL)
        return err_set(err, "NCCL cannot be loaded: there is none");
    *n = (struct nccl){
        .version = 22809,
        .get_version = fake_get_version,
        .get_unique_id = fake_get_unique_id,
        .comm_init_rank = fake_comm_init_rank,
        .comm_abort = fake_comm_abort,
        .comm_get_async_error = fake_comm_get_async_error,
        .group_start = fake_group_start,
        .group_end = fake_group_end,
        .send = fake_send,
        .recv = fake_recv,
        .get_error_string = fake_get_error_string,
        .get_last_error = fake_get_last_error,
        .all_reduce = all_reduce,
        .reduce = reduce,
        .reduce_scatter = reduce_scatter,
        .broadcast = broadcast,
        .all_gather = all_gather,
        .all_to_all = all_to_all,
        .gather = gather,
        .scatter = scatter,
    };
    return true;
}
