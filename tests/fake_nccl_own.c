/* SPDX-License-Identifier: MIT */
/* The fake's version of NCCL's own collectives: all ranks exchange all data,
 * and each takes what it needs. Sums are made in the order of ranks.
 *
 * They are reported to a profiler as NCCL 2.28.9 does: it finds the profiler by
 * its name in the program itself, and passes the struct declared here.
 *
 *     FAKE_NCCL_WRONG=1    rank 1's all-reduce has a wrong first element */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "fake_nccl_world.h"
#include "run/kernels.h"

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

static enum dtype
dtype_of(enum nccl_type type)
{
    enum dtype t = DTYPE_FLOAT32;

    while (nccl_type_of(t) != type)
        t++;
    return t;
}

size_t
fake_nccl_bytes(size_t count, enum nccl_type type)
{
    return count * dtype_size(dtype_of(type));
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

    fake_nccl_exchange(c, from, shares ? bytes : 0, all, bytes);
    return all;
}

static enum nccl_result
sum(struct nccl_comm *c, const void *from, void *to, size_t count,
    enum nccl_type type, enum nccl_op op, bool shares, bool keep)
{
    enum dtype t = dtype_of(type);
    struct kernels k = kernels_for(t, redop_of(op));
    size_t bytes = fake_nccl_bytes(count, type);
    unsigned char *all;

    if (fake_nccl_fails())
        return NCCL_SYSTEM_ERROR;
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
    size_t bytes = fake_nccl_bytes(count, type);
    unsigned char *all;

    if (fake_nccl_fails())
        return NCCL_SYSTEM_ERROR;
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
#define OWN(name, parameters, how)              \
    static enum nccl_result name parameters     \
    {                                           \
        return how;                             \
    }
#define HEAD const void *from, void *to, size_t count, enum nccl_type type
#define TAIL struct nccl_comm *c, void *stream

OWN(all_reduce, (HEAD, enum nccl_op op, TAIL),
    sum(c, from, to, count, type, op, false, true))
OWN(reduce, (HEAD, enum nccl_op op, int root, TAIL),
    sum(c, from, to, count, type, op, false, c->rank == root))
OWN(reduce_scatter, (HEAD, enum nccl_op op, TAIL),
    sum(c, from, to, count, type, op, true, true))
OWN(broadcast, (HEAD, int root, TAIL),
    spread(c, from, to, count, type, false, root, true))
OWN(all_gather, (HEAD, TAIL),
    spread(c, from, to, count, type, false, -1, true))
OWN(all_to_all, (HEAD, TAIL),
    spread(c, from, to, count, type, true, -1, true))
OWN(gather, (HEAD, int root, TAIL),
    spread(c, from, to, count, type, false, -1, c->rank == root))
/* Only the root has shares; other ranks' memory may be shorter. */
OWN(scatter, (HEAD, int root, TAIL),
    spread(c, from, to, count, type, c->rank == root, root, true))

void
fake_nccl_own(struct nccl *n)
{
    n->all_reduce = all_reduce;
    n->reduce = reduce;
    n->reduce_scatter = reduce_scatter;
    n->broadcast = broadcast;
    n->all_gather = all_gather;
    n->all_to_all = all_to_all;
    n->gather = gather;
    n->scatter = scatter;
}
