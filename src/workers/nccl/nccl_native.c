/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_native.h"

#include <assert.h>
#include <string.h>

struct row {
    const char *collective;
    const char *name;
    bool in_place; /* whether it can run in place */
};

static const struct row rows[] = {
    [NCCL_ALL_REDUCE] = {"allreduce", "ncclAllReduce", true},
    [NCCL_BROADCAST] = {"broadcast", "ncclBroadcast", true},
    [NCCL_REDUCE] = {"reduce", "ncclReduce", true},
    [NCCL_ALL_GATHER] = {"allgather", "ncclAllGather", true},
    [NCCL_REDUCE_SCATTER] = {"reduce-scatter", "ncclReduceScatter", true},
    [NCCL_GATHER] = {"gather", "ncclGather", true},
    [NCCL_SCATTER] = {"scatter", "ncclScatter", true},
    [NCCL_ALL_TO_ALL] = {"alltoall", "ncclAlltoAll", false},
    [NCCL_SEND_RECV] = {"sendrecv", "ncclSend and ncclRecv", false},
};

static bool
can_do(const struct nccl *n, enum nccl_function function,
       const struct schedule *s, const struct input *in, struct err *err)
{
    const struct collective *c = s->collective;
    char version[NCCL_VERSION_TEXT_MAX];

    nccl_version_text(n->version, version);
    if (c->reduces && nccl_op_of(in->op) == NCCL_OPS)
        return err_set(err, "NCCL has no %s of its own", redop_name(in->op));
    if ((function == NCCL_GATHER && n->gather == NULL) ||
        (function == NCCL_SCATTER && n->scatter == NULL) ||
        (function == NCCL_ALL_TO_ALL && n->all_to_all == NULL))
        return err_set(err, "NCCL %s has no %s of its own: 2.28 was the first "
                       "with %s", version, c->title, rows[function].name);
    if (s->in_place && !rows[function].in_place)
        return err_set(err, "NCCL has no %s in place: add --out-of-place",
                       c->title);
    if (s->counts != NULL)
        return err_set(err, "NCCL has no collectives of uneven inputs: leave "
                       "out --native or --counts");
    if (c->input == UNITS_RANKS && in->count % s->nranks != 0)
        return err_set(err, "%s cuts evenly: --count must be a multiple of "
                       "%d", rows[function].name, s->nranks);
    return true;
}

bool
nccl_native(struct nccl_native *call, const struct nccl *n,
            const struct schedule *s, const struct input *in, int rank,
            struct err *err)
{
    const struct collective *c = s->collective;
    bool shares_in = c->input == UNITS_RANKS;
    bool shares_out = c->output == UNITS_RANKS;
    int64_t share = shares_in ? in->count / s->nranks : in->count;
    enum nccl_function function = 0;

    while (function < NCCL_FUNCTIONS &&
           strcmp(rows[function].collective, c->name) != 0)
        function++;
    if (function == NCCL_FUNCTIONS)
        return err_set(err, "NCCL has no %s of its own", c->title);
    if (!can_do(n, function, s, in, err))
        return false;
    *call = (struct nccl_native){
        .function = function,
        .name = rows[function].name,
        .count = (size_t)share,
        .type = nccl_type_of(in->type),
        .op = nccl_op_of(in->op),
        .root = s->root,
        .next = (rank + 1) % s->nranks,
        .previous = (rank + s->nranks - 1) % s->nranks,
        .from_at = s->in_place && !shares_in && shares_out ? rank * share : 0,
        .to_at = s->in_place && shares_in && !shares_out ? rank * share : 0,
        .element = dtype_size(in->type),
    };
    return true;
}

/* Sends to the next rank and, at the same time, receives from the previous. */
static enum nccl_result
shift_to_next(const struct nccl_native *call, const struct nccl *n,
              const void *from, void *to, struct nccl_comm *comm, void *stream)
{
    enum nccl_result result = n->group_start(), end;

    if (result != NCCL_SUCCESS)
        return result;
    result = n->send(from, call->count, call->type, call->next, comm, stream);
    if (result == NCCL_SUCCESS)
        result = n->recv(to, call->count, call->type, call->previous, comm,
                         stream);
    end = n->group_end();
    return result != NCCL_SUCCESS ? result : end;
}

static enum nccl_result
run_collective(const struct nccl_native *c, const struct nccl *n,
               const void *from, void *to, struct nccl_comm *comm, void *stream)
{
    switch (c->function) {
    case NCCL_ALL_REDUCE:
        return n->all_reduce(from, to, c->count, c->type, c->op, comm, stream);
    case NCCL_BROADCAST:
        return n->broadcast(from, to, c->count, c->type, c->root, comm,
                            stream);
    case NCCL_REDUCE:
        return n->reduce(from, to, c->count, c->type, c->op, c->root, comm,
                         stream);
    case NCCL_ALL_GATHER:
        return n->all_gather(from, to, c->count, c->type, comm, stream);
    case NCCL_REDUCE_SCATTER:
        return n->reduce_scatter(from, to, c->count, c->type, c->op, comm,
                                 stream);
    case NCCL_GATHER:
        return n->gather(from, to, c->count, c->type, c->root, comm, stream);
    case NCCL_SCATTER:
        return n->scatter(from, to, c->count, c->type, c->root, comm, stream);
    case NCCL_ALL_TO_ALL:
        return n->all_to_all(from, to, c->count, c->type, comm, stream);
    case NCCL_SEND_RECV:
        return shift_to_next(c, n, from, to, comm, stream);
    case NCCL_FUNCTIONS:
        break;
    }
    assert(!"a function");
    return NCCL_INVALID_USAGE;
}

bool
nccl_native_run(const struct nccl_native *call, const struct nccl *n,
                unsigned char *from, unsigned char *to,
                struct nccl_comm *comm, void *stream, struct err *err)
{
    from += (size_t)call->from_at * call->element;
    to += (size_t)call->to_at * call->element;
    return nccl_ok(n, run_collective(call, n, from, to, comm, stream),
                   call->name, comm, err);
}
