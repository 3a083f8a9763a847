/* SPDX-License-Identifier: MIT */
#include "fake_nccl.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "run/kernels.h"

struct fake_nccl fake_nccl;

struct nccl_comm {
    int rank, nranks;
    char clique; /* of the id that made it */
};

enum kind {
    SEND,
    RECV,
    ALL_REDUCE,
    BROADCAST,
    REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    GATHER,
    SCATTER
};

struct call {
    enum kind kind;
    struct nccl_comm *comm;
    int peer; /* or the root */
    const unsigned char *from;
    unsigned char *to;
    size_t count;
    enum nccl_type type;
    enum nccl_op op;
    bool met;
};

static struct call *calls;
static size_t ncalls, calls_capacity;
static uint32_t chance;
static char ids;

void
fake_nccl_reset(void)
{
    free(calls);
    calls = NULL;
    ncalls = calls_capacity = 0;
    fake_nccl = (struct fake_nccl){.version = 22809};
}

bool
fake_nccl_idle(const struct nccl_comm *comm)
{
    for (size_t i = 0; i < ncalls; i++)
        if (calls[i].comm == comm && !calls[i].met)
            return false;
    return true;
}

static bool
fails(void)
{
    return ++fake_nccl.calls == fake_nccl.fail_at;
}

static enum dtype
type_of(enum nccl_type type)
{
    for (int t = 0; t < DTYPES; t++)
        if (nccl_type_of((enum dtype)t) == type)
            return (enum dtype)t;
    abort();
}

static enum redop
op_of(enum nccl_op op)
{
    for (int o = 0; o < REDOPS; o++)
        if (nccl_op_of((enum redop)o) == op)
            return (enum redop)o;
    abort();
}

static size_t
bytes_of(const struct call *c)
{
    return c->count * dtype_size(type_of(c->type));
}

static void
meet(struct call *c)
{
    c->met = true;
    fake_nccl.pending--;
}

/* Finds the first call of that kind, on that side of that pair, that has not
 * met. */
static struct call *
first_of_pair(enum kind kind, char clique, int rank, int peer)
{
    for (size_t i = 0; i < ncalls; i++)
        if (!calls[i].met && calls[i].kind == kind &&
            calls[i].comm->clique == clique && calls[i].comm->rank == rank &&
            calls[i].peer == peer)
            return &calls[i];
    return NULL;
}

static bool
meet_messages(struct call *recv)
{
    struct nccl_comm *comm = recv->comm;
    struct call *send;

    if (recv->met || recv->kind != RECV ||
        first_of_pair(RECV, comm->clique, comm->rank, recv->peer) != recv)
        return false;
    send = first_of_pair(SEND, comm->clique, recv->peer, comm->rank);
    if (send == NULL)
        return false;
    if (bytes_of(send) == bytes_of(recv))
        memmove(recv->to, send->from, bytes_of(recv));
    else
        fake_nccl.mismatched++;
    meet(send);
    meet(recv);
    return true;
}

static bool
go_together(const struct call *a, const struct call *b)
{
    return a->kind == b->kind && a->peer == b->peer && a->count == b->count &&
           a->type == b->type && a->op == b->op;
}

/* Rank r's share of rank q's data; `each` is the bytes of a share. */
static const unsigned char *
share(unsigned char *const *inputs, int q, int r, size_t each)
{
    return inputs[q] + (size_t)r * each;
}

static void
sum(const struct call *c, unsigned char *to, unsigned char *const *inputs,
    int at)
{
    int n = c->comm->nranks;
    size_t each = bytes_of(c);
    struct kernels k = kernels_for(type_of(c->type), op_of(c->op));

    memcpy(to, share(inputs, 0, at, each), each);
    for (int q = 1; q < n; q++)
        k.combine(to, to, share(inputs, q, at, each), (int64_t)c->count);
    if (c->op == NCCL_AVG)
        k.divide(to, (int64_t)c->count, n);
}

/* The result of rank c->comm->rank. */
static void
finish(const struct call *c, unsigned char *const *inputs)
{
    int rank = c->comm->rank, n = c->comm->nranks;
    size_t each = bytes_of(c);
    bool at_root = rank == c->peer;

    switch (c->kind) {
    case ALL_REDUCE:
        sum(c, c->to, inputs, 0);
        break;
    case REDUCE:
        if (at_root)
            sum(c, c->to, inputs, 0);
        break;
    case REDUCE_SCATTER:
        sum(c, c->to, inputs, rank);
        break;
    case BROADCAST:
        memcpy(c->to, inputs[c->peer], each);
        break;
    case SCATTER:
        memcpy(c->to, share(inputs, c->peer, rank, each), each);
        break;
    case GATHER:
    case ALL_GATHER:
        for (int q = 0; q < n && (c->kind == ALL_GATHER || at_root); q++)
            memcpy(c->to + (size_t)q * each, inputs[q], each);
        break;
    case ALL_TO_ALL:
        for (int q = 0; q < n; q++)
            memcpy(c->to + (size_t)q * each, share(inputs, q, rank, each),
                   each);
        break;
    case SEND:
    case RECV:
        break;
    }
}

/* A copy of a call's input: in place, outputs overwrite it. */
static unsigned char *
set_aside(const struct call *c)
{
    bool shares = c->kind == REDUCE_SCATTER || c->kind == ALL_TO_ALL ||
                  c->kind == SCATTER;
    bool unread = (c->kind == SCATTER || c->kind == BROADCAST) &&
                  c->comm->rank != c->peer;
    size_t bytes = bytes_of(c) * (size_t)(shares ? c->comm->nranks : 1);
    unsigned char *copy = mem_new(bytes, 1);

    if (!unread)
        memcpy(copy, c->from, bytes);
    return copy;
}

/* Finds the first collective of each rank of a clique that has not met, as its
 * index in calls. Returns the number of ranks that have one. */
static int
first_of_ranks(const struct nccl_comm *comm, size_t *places)
{
    bool *has = mem_new((size_t)comm->nranks, sizeof *has);
    int there = 0;

    for (size_t i = 0; i < ncalls; i++) {
        const struct call *c = &calls[i];
        if (c->met || c->kind <= RECV || c->comm->clique != comm->clique ||
            has[c->comm->rank])
            continue;
        has[c->comm->rank] = true;
        places[c->comm->rank] = i;
        there++;
    }
    free(has);
    return there;
}

static bool
meet_collective(const struct nccl_comm *comm)
{
    int n = comm->nranks;
    size_t *places = mem_new((size_t)n, sizeof *places);
    unsigned char **inputs = mem_new((size_t)n, sizeof *inputs);
    bool there = first_of_ranks(comm, places) == n, right = there;

    for (int r = 1; right && r < n; r++)
        right = go_together(&calls[places[0]], &calls[places[r]]);
    for (int r = 0; right && r < n; r++)
        inputs[r] = set_aside(&calls[places[r]]);
    for (int r = 0; right && r < n; r++)
        finish(&calls[places[r]], inputs);
    for (int r = 0; there && r < n; r++)
        meet(&calls[places[r]]);
    fake_nccl.mismatched += there && !right;
    for (int r = 0; r < n; r++)
        free(inputs[r]);
    free(inputs);
    free(places);
    return there;
}

/* Finds a call that can meet, starting at a random place. */
static bool
meet_one(void)
{
    chance = chance * 1664525u + 1013904223u;
    for (size_t i = 0; i < ncalls; i++) {
        struct call *c = &calls[(i + (chance >> 8)) % ncalls];
        if (!c->met && c->kind != SEND &&
            (c->kind == RECV ? meet_messages(c) : meet_collective(c->comm)))
            return true;
    }
    return false;
}

static void
settle(void)
{
    while (meet_one())
        continue;
    if (fake_nccl.pending == 0)
        ncalls = 0;
}

static enum nccl_result
add(struct call call)
{
    if (fails())
        return NCCL_SYSTEM_ERROR;
    calls = mem_grow(calls, ncalls, &calls_capacity, sizeof *calls);
    calls[ncalls++] = call;
    fake_nccl.pending++;
    if (fake_nccl.depth == 0)
        settle();
    return NCCL_SUCCESS;
}

static enum nccl_result
fake_group_start(void)
{
    if (fails())
        return NCCL_SYSTEM_ERROR;
    fake_nccl.depth++;
    return NCCL_SUCCESS;
}

static enum nccl_result
fake_group_end(void)
{
    if (--fake_nccl.depth == 0)
        settle();
    return fails() ? NCCL_SYSTEM_ERROR : NCCL_SUCCESS;
}

static enum nccl_result
fake_get_version(int *version)
{
    *version = fake_nccl.version;
    return fails() ? NCCL_SYSTEM_ERROR : NCCL_SUCCESS;
}

static enum nccl_result
fake_get_unique_id(struct nccl_id *id)
{
    if (fails())
        return NCCL_SYSTEM_ERROR;
    *id = (struct nccl_id){{++ids}};
    return NCCL_SUCCESS;
}

static enum nccl_result
fake_comm_init_rank(struct nccl_comm **comm, int nranks, struct nccl_id id,
                    int rank)
{
    if (fails())
        return NCCL_INVALID_USAGE;
    *comm = mem_new(1, sizeof **comm);
    **comm = (struct nccl_comm){rank, nranks, id.internal[0]};
    fake_nccl.comms++;
    return NCCL_SUCCESS;
}

static enum nccl_result
fake_comm_abort(struct nccl_comm *comm)
{
    free(comm);
    fake_nccl.comms--;
    return fails() ? NCCL_SYSTEM_ERROR : NCCL_SUCCESS;
}

static enum nccl_result
fake_comm_get_async_error(struct nccl_comm *comm, enum nccl_result *result)
{
    (void)comm;
    *result = fake_nccl.async;
    return fails() ? NCCL_INVALID_ARGUMENT : NCCL_SUCCESS;
}

static const char *
fake_get_error_string(enum nccl_result result)
{
    return result == NCCL_SYSTEM_ERROR   ? "unhandled system error"
           : result == NCCL_REMOTE_ERROR ? "remote process exited"
                                         : "another error";
}

static const char *
fake_get_last_error(struct nccl_comm *comm)
{
    (void)comm;
    return fake_nccl.last_error;
}

static enum nccl_result
fake_send(const void *from, size_t count, enum nccl_type type, int peer,
          struct nccl_comm *comm, void *stream)
{
    (void)stream;
    return add((struct call){.kind = SEND, .comm = comm, .peer = peer,
                             .from = from, .count = count, .type = type});
}

static enum nccl_result
fake_recv(void *to, size_t count, enum nccl_type type, int peer,
          struct nccl_comm *comm, void *stream)
{
    (void)stream;
    return add((struct call){.kind = RECV, .comm = comm, .peer = peer,
                             .to = to, .count = count, .type = type});
}

/* A collective with a type; `named` are further fields of the call. */
#define COLLECTIVE(name, upper, parameters, ...)                              \
    static enum nccl_result fake_##name parameters                            \
    {                                                                         \
        (void)stream;                                                         \
        return add((struct call){.kind = upper, .comm = comm, .from = from,   \
                                 .to = to, .count = count, .type = type,      \
                                 __VA_ARGS__});                               \
    }
#define HEAD const void *from, void *to, size_t count, enum nccl_type type
#define TAIL struct nccl_comm *comm, void *stream

COLLECTIVE(all_reduce, ALL_REDUCE, (HEAD, enum nccl_op op, TAIL), .op = op)
COLLECTIVE(broadcast, BROADCAST, (HEAD, int root, TAIL), .peer = root)
COLLECTIVE(reduce, REDUCE, (HEAD, enum nccl_op op, int root, TAIL), .op = op,
           .peer = root)
COLLECTIVE(all_gather, ALL_GATHER, (HEAD, TAIL), .peer = 0)
COLLECTIVE(reduce_scatter, REDUCE_SCATTER, (HEAD, enum nccl_op op, TAIL),
           .op = op)
COLLECTIVE(all_to_all, ALL_TO_ALL, (HEAD, TAIL), .peer = 0)
COLLECTIVE(gather, GATHER, (HEAD, int root, TAIL), .peer = root)
COLLECTIVE(scatter, SCATTER, (HEAD, int root, TAIL), .peer = root)

#define SYMBOL(field, name, parameters) {#name, (void *)fake_##field},

void *
fake_nccl_symbol(void *from, const char *name)
{
    static const struct {
        const char *name;
        void *symbol;
    } symbols[] = {
        NCCL_NEEDED(SYMBOL) NCCL_OPTIONAL(SYMBOL)
        SYMBOL(get_error_string, ncclGetErrorString, )
        SYMBOL(get_last_error, ncclGetLastError, )
    };

    (void)from;
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (strcmp(name, symbols[i].name) == 0 &&
            (fake_nccl.missing == NULL ||
             strcmp(name, fake_nccl.missing) != 0))
            return symbols[i].symbol;
    return NULL;
}
