/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_carrier.h"

/* Goes on with the group if a call in it has succeeded. */
static bool
in_group(struct nccl_carrier *n, enum nccl_result result, const char *call,
         struct err *err)
{
    if (nccl_ok(n->nccl, result, call, n->comm, err))
        return true;
    n->open = false;
    n->nccl->group_end(); /* its error repeats the one in *err */
    return false;
}

static bool
open_group(struct nccl_carrier *n, struct err *err)
{
    n->open = n->open || nccl_ok(n->nccl, n->nccl->group_start(),
                                 "ncclGroupStart", NULL, err);
    return n->open;
}

/* Sends bytes, whatever their type: only works interpret them. */
static bool
send(void *with, int peer, enum message_tag tag, const void *from,
     size_t bytes, struct err *err)
{
    struct nccl_carrier *n = with;

    (void)tag;
    return open_group(n, err) &&
           in_group(n, n->nccl->send(from, bytes, NCCL_UINT8, peer, n->comm,
                                     n->stream), "ncclSend", err);
}

static bool
receive(void *with, int peer, enum message_tag tag, void *to, size_t bytes,
        size_t room, struct err *err)
{
    struct nccl_carrier *n = with;

    (void)tag, (void)room;
    return open_group(n, err) &&
           in_group(n, n->nccl->recv(to, bytes, NCCL_UINT8, peer, n->comm,
                                     n->stream), "ncclRecv", err);
}

static bool
test(void *with, enum carried *how, struct err *err)
{
    struct nccl_carrier *n = with;
    bool open = n->open;

    *how = CARRIED_ALL;
    n->open = false;
    return !open ||
           nccl_ok(n->nccl, n->nccl->group_end(), "ncclGroupEnd", NULL, err);
}

static void
give_up(void *with)
{
    struct nccl_carrier *n = with;

    if (n->open)
        n->nccl->group_end();
    if (n->comm != NULL)
        n->nccl->comm_abort(n->comm);
}

struct carrier
nccl_carrier(struct nccl_carrier *n)
{
    return (struct carrier){n, send, receive, test, give_up};
}
