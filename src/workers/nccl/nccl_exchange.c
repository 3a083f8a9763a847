/* SPDX-License-Identifier: MIT */
#include "workers/nccl/nccl_exchange.h"

/* Sends bytes, whatever their type: only works interpret them. */
static bool
send(const struct nccl *n, const struct nccl_rank *r,
     const unsigned char *from, size_t bytes, int peer, struct err *err)
{
    return bytes == 0 ||
           nccl_ok(n, n->send(from, bytes, NCCL_UINT8, peer, r->comm,
                              r->stream), "ncclSend", r->comm, err);
}

static bool
receive(const struct nccl *n, const struct nccl_rank *r, unsigned char *to,
        size_t bytes, int peer, struct err *err)
{
    return bytes == 0 ||
           nccl_ok(n, n->recv(to, bytes, NCCL_UINT8, peer, r->comm,
                              r->stream), "ncclRecv", r->comm, err);
}

static bool
exchange_rank(const struct nccl *n, const struct message_step *s,
              const struct nccl_rank *r, struct err *err)
{
    for (size_t i = 0; i < s->nsends; i++) {
        const struct message *m = &s->sends[i];
        size_t bytes = (size_t)m->length * r->element;
        if (!send(n, r, r->slots[m->slot], bytes, m->peer, err) ||
            (r->rows != NULL &&
             !send(n, r, r->rows[m->slot], r->row, m->peer, err)))
            return false;
    }
    for (size_t i = 0; i < s->nreceives; i++) {
        const struct message *m = &s->receives[i];
        size_t bytes = (size_t)m->length * r->element;
        if (!receive(n, r, r->slots[m->slot], bytes, m->peer, err) ||
            (r->rows != NULL &&
             !receive(n, r, r->rows[m->slot], r->row, m->peer, err)))
            return false;
    }
    return true;
}

bool
nccl_exchange_step(const struct nccl *n, const struct message_step *s,
                   const struct nccl_rank *r, struct err *err)
{
    if (!nccl_ok(n, n->group_start(), "ncclGroupStart", NULL, err))
        return false;
    if (!exchange_rank(n, s, r, err)) {
        n->group_end(); /* its error repeats the one in *err */
        return false;
    }
    return nccl_ok(n, n->group_end(), "ncclGroupEnd", NULL, err);
}

bool
nccl_exchange(const struct nccl *n, const struct message_plan *plan, int step,
              const struct nccl_rank *ranks, int nranks, struct err *err)
{
    if (!nccl_ok(n, n->group_start(), "ncclGroupStart", NULL, err))
        return false;
    for (int i = 0; i < nranks; i++) {
        struct message_step s = message_plan_step(plan, ranks[i].rank, step);
        if (!exchange_rank(n, &s, &ranks[i], err)) {
            n->group_end(); /* its error repeats the one in *err */
            return err_prefix(err, "rank %d, step %d", ranks[i].rank, step);
        }
    }
    return nccl_ok(n, n->group_end(), "ncclGroupEnd", NULL, err) ||
           err_prefix(err, "step %d", step);
}
