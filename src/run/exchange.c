/* SPDX-License-Identifier: MIT */
/* Ranks in this process that pass messages, for mismatched runs of the threads
 * backend.  The rank machine (run/rank.h) pulls from its peers' memory and
 * needs to know what they do; here a rank knows its own share alone.
 *
 * Messages are buffered, as MPI does with small ones: a send is over at once,
 * unless the mismatch says that sends block.
 * One thread advances all ranks as far as they can go when the run is looked
 * at. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/engine.h"
#include "run/machine.h"
#include "run/message_rank.h"
#include "run/prepare.h"
#include "run/waits.h"

/* A message on its way. */
struct parcel {
    struct parcel *next;
    int src;
    enum message_tag tag;
    size_t length;
    unsigned char bytes[];
};

enum { RECEIVED = -1 };

/* A message that a rank is to receive. */
struct expected {
    int src; /* RECEIVED: it has come */
    enum message_tag tag;
    unsigned char *to;
    size_t bytes;
};

/* Carries one rank's messages. */
struct porter {
    struct exchange *exchange;
    int rank;
    struct parcel *parcels; /* sent to this rank, in order, not yet received */
    struct expected *expected;
    size_t count, capacity;
};

struct exchange {
    const struct schedule *s;
    struct message_rank *ranks;
    struct porter *porters; /* by rank */
    struct waits *waits;
    int *steps; /* that ranks are in */
    bool granted, idle;
    bool blocking; /* sends wait until they are received */
    struct log_reader reader; /* of the ranks' logs */
    struct rank_slot *slots; /* [rank * nslots + slot] */
    uint64_t *ledger;
};

static bool
send(void *with, int peer, enum message_tag tag, const void *from,
     size_t bytes, struct err *err)
{
    struct porter *porter = with;
    struct parcel **end = &porter->exchange->porters[peer].parcels;
    struct parcel *p = mem_new(sizeof *p + bytes, 1);

    (void)err;
    *p = (struct parcel){.src = porter->rank, .tag = tag, .length = bytes};
    if (bytes > 0)
        memcpy(p->bytes, from, bytes);
    while (*end != NULL)
        end = &(*end)->next;
    *end = p;
    return true;
}

static bool
receive(void *with, int peer, enum message_tag tag, void *to, size_t bytes,
        size_t room, struct err *err)
{
    struct porter *p = with;

    (void)room, (void)err;
    p->expected =
        mem_grow(p->expected, p->count, &p->capacity, sizeof *p->expected);
    p->expected[p->count++] = (struct expected){peer, tag, to, bytes};
    return true;
}

/* Whether a message of this rank has not been received. */
static bool
is_blocked(const struct porter *porter)
{
    const struct exchange *e = porter->exchange;

    for (int rank = 0; e->blocking && rank < e->s->nranks; rank++)
        for (const struct parcel *p = e->porters[rank].parcels; p != NULL;
             p = p->next)
            if (p->src == porter->rank)
                return true;
    return false;
}

static bool
test(void *with, enum carried *how, struct err *err)
{
    struct porter *porter = with;

    (void)err;
    *how = CARRIED_ALL;
    for (size_t i = 0; i < porter->count; i++) {
        struct expected *in = &porter->expected[i];
        struct parcel **at = &porter->parcels, *p;

        while ((p = *at) != NULL && (p->src != in->src || p->tag != in->tag))
            at = &p->next;
        if (in->src != RECEIVED && p == NULL)
            *how = CARRIED_LATER;
        if (in->src == RECEIVED || p == NULL)
            continue;
        if (p->length > in->bytes) {
            *how = CARRIED_TOO_LONG;
            return true;
        }
        if (p->length > 0)
            memcpy(in->to, p->bytes, p->length);
        *at = p->next;
        free(p);
        in->src = RECEIVED;
    }
    if (is_blocked(porter))
        *how = CARRIED_LATER;
    if (*how == CARRIED_ALL)
        porter->count = 0;
    return true;
}

/* Drops what nobody has received. */
static void
give_up(void *with)
{
    struct porter *p = with;

    for (struct parcel *next; p->parcels != NULL; p->parcels = next) {
        next = p->parcels->next;
        free(p->parcels);
    }
    free(p->expected);
}

static void *
exchange_new(const struct schedule *s, const struct run_options *o,
             struct err *err)
{
    struct exchange *e = mem_new(1, sizeof *e);
    size_t n = (size_t)s->nranks;
    OWN_MEMORY struct share **shares = mem_new(n, sizeof *shares);

    (void)err;
    assert(o->mismatch != NULL && o->watched);
    share_out(s, o, shares, &e->waits);
    e->s = s;
    e->blocking = o->mismatch->turn > 0;
    e->ranks = mem_new(n, sizeof *e->ranks);
    e->porters = mem_new(n, sizeof *e->porters);
    e->steps = mem_new(n, sizeof *e->steps);
    for (size_t rank = 0; rank < n; rank++) {
        struct message_rank *r = &e->ranks[rank];
        message_rank_init(r, shares[rank]);
        e->porters[rank] = (struct porter){.exchange = e, .rank = (int)rank};
        r->payloads_by = r->rows_by = (struct carrier){
            &e->porters[rank], send, receive, test, give_up};
    }
    log_reader_init(&e->reader, &e->ranks->log, sizeof *e->ranks, s->nranks);
    return e;
}

static void
exchange_free(void *run)
{
    struct exchange *e = run;

    if (e == NULL)
        return;
    for (int rank = 0; rank < e->s->nranks; rank++)
        message_rank_done(&e->ranks[rank]);
    waits_free(e->waits);
    log_reader_done(&e->reader);
    free(e->ranks);
    free(e->porters);
    free(e->steps);
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
    engine_processor(info->devices[0]);
}

static bool
exchange_grant(void *run, int to, int64_t *at_ns, struct err *err)
{
    struct exchange *e = run;
    int64_t start_ns = clock_ns();

    (void)err;
    e->granted = true;
    *at_ns = 0;
    for (int rank = 0; rank < e->s->nranks; rank++)
        message_rank_grant(&e->ranks[rank], to, start_ns);
    return true;
}

static bool
exchange_look(void *run, bool *idle, struct err *err)
{
    struct exchange *e = run;
    bool moved;

    do {
        moved = false;
        e->idle = true;
        for (int rank = 0; e->granted && rank < e->s->nranks; rank++) {
            struct message_rank *r = &e->ranks[rank];
            if (!message_rank_advance(r, &moved, err))
                return false;
            e->steps[rank] = r->step;
            e->idle = e->idle && message_rank_idle(r);
        }
    } while (moved);
    *idle = e->idle;
    return true;
}

static bool
exchange_event(void *run, struct event *event)
{
    return log_reader_next(&((struct exchange *)run)->reader, event);
}

/* Payloads and rows are in this process already. */
static bool
exchange_fetch(void *run, struct rank_slots *found, struct err *err)
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
    *found = (struct rank_slots){e->slots, e->s->nslots, e->ledger};
    return true;
}

static bool
exchange_mismatch(void *run, struct buf *why)
{
    const struct exchange *e = run;

    return e->idle ? waits_unfit(e->waits, why)
                   : waits_hang(e->waits, !e->blocking, e->steps, why);
}

const struct machine machine_exchange = {
    .backend = "threads",
    .new = exchange_new,
    .free = exchange_free,
    .describe = exchange_describe,
    .grant = exchange_grant,
    .look = exchange_look,
    .event = exchange_event,
    .fetch = exchange_fetch,
    .mismatch = exchange_mismatch,
};
