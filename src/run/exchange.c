/* SPDX-License-Identifier: MIT */
/* Ranks in this process that pass messages, for mismatched runs of the threads
 * backend.  The rank machine (run/rank.h) pulls from its peers' memory and
 * needs to know what they do; here a rank knows its own share alone.
 *
 * Messages are buffered, as MPI does with small ones: a send is over at once,
 * unless the mismatch says that sends block.  NCCL's rules send messages slice
 * by slice, through the places that there are between two of its ranks
 * (run/nccl_slices.h).  When the run is looked at, one thread advances all
 * ranks as far as they can go. */
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

/* A message on its way, or a slice of one, which has its ledger row with it:
 * what is received may be made of slices of two messages. */
struct parcel {
    struct parcel *next;
    int src;
    enum message_tag tag;
    bool has_row; /* in bytes + length */
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
    void *row; /* where the row of a slice goes */
};

/* The places between two ranks, which slices use in turn: what is left in them,
 * and how long that is. */
struct fifo {
    unsigned char *left[NCCL_AHEAD_MOST];
    size_t length[NCCL_AHEAD_MOST];
    size_t taken; /* slices */
};

/* Carries one rank's messages. */
struct porter {
    struct exchange *exchange;
    int rank;
    struct fifo *fifos; /* by sender; NULL: messages are not cut */
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
    bool cut;      /* messages are sent in slices */
    struct nccl_cut nccl;
    size_t row_bytes; /* of a slice's ledger row, with its time */
    struct input input;
    struct log_reader reader; /* of the ranks' logs */
    struct rank_slot *slots; /* [rank * nslots + slot] */
    uint64_t *ledger;
};

/* The pieces of a message; those of a payload have its row with them. */
static int64_t
count_pieces(const struct exchange *e, enum message_tag tag, size_t bytes)
{
    size_t element = dtype_size(e->input.type);

    if (!e->cut)
        return 1;
    return tag == TAG_PAYLOAD
               ? nccl_slices(&e->nccl, (int64_t)(bytes / element))
               : 0;
}

/* The bytes of its i-th piece; *at is where that begins. */
static size_t
piece_of(const struct exchange *e, size_t bytes, int64_t i, size_t *at)
{
    size_t element = dtype_size(e->input.type);
    int64_t first, length;

    *at = 0;
    if (!e->cut)
        return bytes;
    length = nccl_slice(&e->nccl, (int64_t)(bytes / element), i, &first);
    *at = (size_t)first * element;
    return (size_t)length * element;
}

static bool
porter_send(void *with, int peer, enum message_tag tag, const void *from,
            size_t bytes, struct err *err)
{
    struct porter *porter = with;
    const struct exchange *e = porter->exchange;
    struct parcel **end = &e->porters[peer].parcels, *p;

    (void)err;
    for (; (p = *end) != NULL; end = &p->next)
        if (e->cut && tag == TAG_ROW && p->src == porter->rank &&
            !p->has_row) {
            memcpy(p->bytes + p->length, from, bytes);
            p->has_row = true;
        }
    for (int64_t i = 0; i < count_pieces(e, tag, bytes); i++) {
        size_t at, length = piece_of(e, bytes, i, &at);
        p = mem_new(sizeof *p + length + e->row_bytes, 1);
        *p = (struct parcel){.src = porter->rank, .tag = tag,
                             .length = length};
        if (length > 0)
            memcpy(p->bytes, (const unsigned char *)from + at, length);
        *end = p;
        end = &p->next;
    }
    return true;
}

static bool
porter_receive(void *with, int peer, enum message_tag tag, void *to,
               size_t bytes, size_t room, struct err *err)
{
    struct porter *p = with;

    (void)room, (void)err;
    for (size_t i = p->count; tag == TAG_ROW && p->exchange->cut && i-- > 0;)
        if (p->expected[i].src == peer && p->expected[i].row == NULL)
            p->expected[i].row = to;
    for (int64_t i = 0; i < count_pieces(p->exchange, tag, bytes); i++) {
        size_t at, length = piece_of(p->exchange, bytes, i, &at);
        p->expected = mem_grow(p->expected, p->count, &p->capacity,
                               sizeof *p->expected);
        p->expected[p->count++] = (struct expected){
            peer, tag, (unsigned char *)to + at, length, NULL};
    }
    return true;
}

/* Whether a rank is so far ahead of a peer that it has to wait until more of
 * what it sent has been received. */
static bool
is_blocked(const struct porter *porter)
{
    const struct exchange *e = porter->exchange;
    int ahead = e->cut ? e->nccl.ahead : 0;

    for (int rank = 0; (e->cut || e->blocking) && rank < e->s->nranks;
         rank++) {
        int left = 0;
        for (const struct parcel *p = e->porters[rank].parcels; p != NULL;
             p = p->next)
            left += p->src == porter->rank && p->tag == TAG_PAYLOAD;
        if (left > ahead)
            return true;
    }
    return false;
}

/* Puts a slice into its place, and takes from there as much as is expected: if
 * the slice is too short, the rest is what was in the place before. */
static void
take_slice(struct porter *porter, const struct parcel *p,
           const struct expected *in)
{
    const struct exchange *e = porter->exchange;
    struct fifo *f = &porter->fifos[p->src];
    size_t i = f->taken++ % (size_t)e->nccl.ahead;
    size_t needed = p->length > in->bytes ? p->length : in->bytes;
    size_t element = dtype_size(e->input.type);
    unsigned char unwritten[DTYPE_SIZE_MAX];

    dtype_unwritten(e->input.type, e->input.op, unwritten);
    if (needed > f->length[i])
        f->left[i] = mem_resize(f->left[i], needed, 1);
    for (; f->length[i] < needed; f->length[i] += element)
        memcpy(f->left[i] + f->length[i], unwritten, element);
    if (p->length > 0)
        memcpy(f->left[i], p->bytes, p->length);
    if (in->bytes > 0)
        memcpy(in->to, f->left[i], in->bytes);
    memcpy(in->row, p->bytes + p->length, e->row_bytes);
}

static bool
porter_test(void *with, enum carried *how, struct err *err)
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
        if (porter->fifos != NULL) {
            take_slice(porter, p, in);
        } else if (p->length > in->bytes) {
            *how = CARRIED_TOO_LONG;
            return true;
        } else if (p->length > 0) {
            memcpy(in->to, p->bytes, p->length);
        }
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
porter_give_up(void *with)
{
    struct porter *p = with;

    for (struct parcel *next; p->parcels != NULL; p->parcels = next) {
        next = p->parcels->next;
        free(p->parcels);
    }
    free(p->expected);
    for (int i = 0; p->fifos != NULL &&
                    i < p->exchange->s->nranks * NCCL_AHEAD_MOST; i++)
        free(p->fifos[i / NCCL_AHEAD_MOST].left[i % NCCL_AHEAD_MOST]);
    free(p->fifos);
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
    e->cut = o->mismatch->rules == RULES_NCCL;
    e->nccl = nccl_cut_of(s->collective, dtype_size(o->input.type));
    e->input = o->input;
    e->row_bytes = message_rank_row_bytes(s->nranks);
    e->ranks = mem_new(n, sizeof *e->ranks);
    e->porters = mem_new(n, sizeof *e->porters);
    e->steps = mem_new(n, sizeof *e->steps);
    for (size_t rank = 0; rank < n; rank++) {
        struct message_rank *r = &e->ranks[rank];
        message_rank_init(r, shares[rank]);
        e->porters[rank] = (struct porter){.exchange = e, .rank = (int)rank};
        if (e->cut)
            e->porters[rank].fifos = mem_new(n, sizeof *e->porters->fifos);
        r->payloads_by = r->rows_by = (struct carrier){
            &e->porters[rank], porter_send, porter_receive, porter_test,
            porter_give_up};
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
exchange_mismatch(void *run, struct wrong *wrong)
{
    const struct exchange *e = run;

    return e->idle ? waits_unfit(e->waits, wrong)
                   : waits_hang(e->waits, !e->blocking, e->steps, wrong);
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
