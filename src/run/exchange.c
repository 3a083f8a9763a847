/* SPDX-License-Identifier: MIT */
#include "run/exchange.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/message_rank.h"
#include "run/processor.h"

/* A message on its way: elements and a ledger row. */
struct parcel {
    struct parcel *next;
    int64_t length; /* elements */
    uint64_t *row;
    unsigned char *bytes;
};

/* What one rank has sent another, and the other has not received. */
struct box {
    struct parcel *first, **end;
};

struct exchange {
    const struct schedule *s;
    int element; /* bytes */
    struct message_rank *ranks;
    struct box *boxes; /* [src * nranks + dst] */
    struct waits *waits;
    int *steps; /* that ranks are in */
    bool granted, idle;
    int64_t start_ns;
    int reading; /* the rank whose events are taken now */
    struct event **reports; /* by rank: its events, and their contents */
    size_t *nreports, *nread;
    struct rank_slot *slots; /* [rank * nslots + slot] */
    uint64_t *ledger;
};

static struct box *
box_of(struct exchange *e, int src, int dst)
{
    return &e->boxes[(size_t)src * (size_t)e->s->nranks + (size_t)dst];
}

static int64_t
now(const struct exchange *e)
{
    return clock_ns() - e->start_ns;
}

static void
free_parcel(struct parcel *p)
{
    free(p->row);
    free(p->bytes);
    free(p);
}

static void
send(struct exchange *e, struct message_rank *r, int i)
{
    const struct message *m = &r->at.send[i];
    struct box *box = box_of(e, r->share->rank, m->peer);
    struct parcel *p = mem_new(1, sizeof *p);
    size_t bytes = (size_t)m->length * (size_t)e->element;
    size_t words = message_rank_row_words(r);

    p->length = m->length;
    p->bytes = mem_new(bytes, 1);
    if (bytes > 0)
        memcpy(p->bytes, r->memory.slots[m->slot].data, bytes);
    p->row = mem_new(words, sizeof *p->row);
    memcpy(p->row, message_rank_sent_row(r, i), words * sizeof *p->row);
    *box->end = p;
    box->end = &p->next;
}

/* Takes a message that fits. */
static void
receive(struct exchange *e, struct message_rank *r, int i)
{
    const struct message *m = &r->at.receive[i];
    struct box *box = box_of(e, m->peer, r->share->rank);
    struct parcel *p = box->first;
    size_t bytes = (size_t)p->length * (size_t)e->element;

    assert(p->length <= m->length);
    if (bytes > 0)
        memcpy(r->memory.slots[m->slot].data, p->bytes, bytes);
    memcpy(message_rank_received_row(r, i), p->row,
           message_rank_row_words(r) * sizeof *p->row);
    box->first = p->next;
    if (box->first == NULL)
        box->end = &box->first;
    free_parcel(p);
}

static void
post(struct exchange *e, struct message_rank *r)
{
    message_rank_post(r, now(e));
    for (int i = 0; i < message_rank_step(r)->nsends; i++)
        send(e, r, i);
}

/* Finishes the rank's step, if all of its messages have come, and begins the
 * next. */
static void
advance(struct exchange *e, int rank)
{
    struct message_rank *r = &e->ranks[rank];

    if (message_rank_is_through(r))
        return;
    if (!r->posted)
        post(e, r);
    e->steps[rank] = r->step;
    if (waits_of(e->waits, true, e->steps, rank).kind != WAIT_NONE)
        if (r->step <= r->share->nsteps)
            return;
    for (int i = 0; i < message_rank_step(r)->nreceives; i++)
        receive(e, r, i);
    message_rank_work(r);
    message_rank_next(r, now(e));
    if (!message_rank_is_through(r))
        post(e, r);
    e->steps[rank] = r->step;
}

static void
make_ranks(struct exchange *e, const struct run_options *o)
{
    size_t n = (size_t)e->s->nranks;
    struct share **shares = mem_new(n, sizeof *shares);

    share_out(e->s, o, shares, &e->waits);
    e->ranks = mem_new(n, sizeof *e->ranks);
    e->boxes = mem_new(n * n, sizeof *e->boxes);
    e->steps = mem_new(n, sizeof *e->steps);
    e->reports = mem_new(n, sizeof *e->reports);
    e->nreports = mem_new(n, sizeof *e->nreports);
    e->nread = mem_new(n, sizeof *e->nread);
    for (size_t i = 0; i < n * n; i++)
        e->boxes[i].end = &e->boxes[i].first;
    for (size_t rank = 0; rank < n; rank++)
        message_rank_init(&e->ranks[rank], shares[rank]);
    free(shares);
}

static void *
exchange_new(const struct schedule *s, const struct run_options *o,
             struct err *err)
{
    struct exchange *e = mem_new(1, sizeof *e);

    (void)err;
    assert(o->mismatch != NULL && o->watched);
    e->s = s;
    e->element = (int)dtype_size(o->input.type);
    make_ranks(e, o);
    return e;
}

static void
free_rank(struct exchange *e, int rank)
{
    for (int peer = 0; peer < e->s->nranks; peer++)
        for (struct parcel *p = box_of(e, rank, peer)->first, *next; p != NULL;
             p = next) {
            next = p->next;
            free_parcel(p);
        }
    message_rank_done(&e->ranks[rank]);
    free(e->reports[rank]);
}

static void
exchange_free(void *run)
{
    struct exchange *e = run;

    if (e == NULL)
        return;
    for (int rank = 0; rank < e->s->nranks; rank++)
        free_rank(e, rank);
    waits_free(e->waits);
    free(e->ranks);
    free(e->boxes);
    free(e->steps);
    free(e->reports);
    free(e->nreports);
    free(e->nread);
    free(e->slots);
    free(e->ledger);
    free(e);
}

static void
exchange_describe(void *run, struct run_info *info)
{
    (void)run;
    info->place = PLACE_CORE;
    info->nplaces = 1;
    info->ndevices = 1;
    processor_name(info->devices[0]);
}

static bool
exchange_grant(void *run, int to, int64_t *at_ns, struct err *err)
{
    struct exchange *e = run;

    (void)to;
    (void)err;
    e->granted = true;
    e->start_ns = clock_ns();
    *at_ns = 0;
    return true;
}

static bool
exchange_look(void *run, bool *idle, struct err *err)
{
    struct exchange *e = run;

    (void)err;
    e->idle = true;
    for (int rank = 0; e->granted && rank < e->s->nranks; rank++) {
        advance(e, rank);
        e->idle = e->idle && message_rank_is_through(&e->ranks[rank]);
    }
    *idle = e->idle;
    return true;
}

/* The rank's next events, if it has any. */
static bool
refill(struct exchange *e, int rank)
{
    size_t length, words = (size_t)content_words(e->s->nranks);
    struct event *events =
        message_rank_report(&e->ranks[rank], &e->nreports[rank], &length);
    uint64_t *content;

    if (events == NULL)
        return false;
    content = (uint64_t *)(events + e->nreports[rank]);
    for (size_t i = 0; i < e->nreports[rank]; i++) {
        events[i].content = content;
        content += (size_t)events[i].nslots * words;
    }
    free(e->reports[rank]);
    e->reports[rank] = events;
    e->nread[rank] = 0;
    return true;
}

/* Contents are valid until the rank's next report is made; all is granted at
 * once, so that the caller copies them. */
static bool
exchange_event(void *run, struct event *event)
{
    struct exchange *e = run;

    for (; e->reading < e->s->nranks; e->reading++) {
        int rank = e->reading;
        if (e->nread[rank] < e->nreports[rank] || refill(e, rank)) {
            *event = e->reports[rank][e->nread[rank]++];
            return true;
        }
    }
    e->reading = 0;
    return false;
}

static void
exchange_contents(void *run, int rank, uint64_t *contents)
{
    const struct exchange *e = run;
    size_t words = (size_t)content_words(e->s->nranks);

    memset(contents, 0, (size_t)e->s->nslots * words * sizeof *contents);
    message_rank_contents(&e->ranks[rank], contents);
}

/* Payloads and rows are in this process already. */
static bool
exchange_fetch(void *run, struct err *err)
{
    struct exchange *e = run;
    size_t n = (size_t)e->s->nranks * (size_t)e->s->nslots;
    size_t row = (size_t)ledger_words(e->s->nranks);

    (void)err;
    e->slots = mem_new(n, sizeof *e->slots);
    e->ledger = mem_new(n, row * sizeof *e->ledger);
    for (int rank = 0; rank < e->s->nranks; rank++) {
        const struct message_rank *r = &e->ranks[rank];
        size_t first = (size_t)rank * (size_t)e->s->nslots;
        size_t own = (size_t)r->share->nschedule_slots;
        memcpy(e->slots + first, r->memory.slots, own * sizeof *e->slots);
        memcpy(e->ledger + first * row, r->memory.rows,
               own * row * sizeof *e->ledger);
    }
    return true;
}

static const struct rank_slot *
exchange_slots(void *run, int *nslots)
{
    const struct exchange *e = run;

    *nslots = e->s->nslots;
    return e->slots;
}

static const uint64_t *
exchange_ledger(void *run)
{
    return ((const struct exchange *)run)->ledger;
}

static bool
exchange_mismatch(void *run, struct buf *why)
{
    const struct exchange *e = run;

    return e->idle ? waits_unfit(e->waits, why)
                   : waits_hang(e->waits, true, e->steps, why);
}

const struct machine machine_exchange = {
    .backend = "threads",
    .new = exchange_new,
    .free = exchange_free,
    .describe = exchange_describe,
    .grant = exchange_grant,
    .look = exchange_look,
    .event = exchange_event,
    .contents = exchange_contents,
    .fetch = exchange_fetch,
    .slots = exchange_slots,
    .ledger = exchange_ledger,
    .mismatch = exchange_mismatch,
};
