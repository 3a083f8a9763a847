/* SPDX-License-Identifier: MIT */
/* Turns a program of thread blocks into steps.
 *
 * In each step every thread block does what it can.  First it sends, and steps
 * that only wait are over.  Then it receives, or moves something within its
 * rank, once per step.  Sends read the state before the step, so an instruction
 * that follows a send, in its thread block or by a dependency, may be in the
 * same step.  An instruction that forwards what it received does so in the next
 * step.
 *
 * A block is always in exactly one place: in the list of those that go on in
 * this step, of those that act in it, or of those that go on in the next step;
 * or it waits for a step or a message, and is woken when that arrives. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "msccl/file.h"

/* A message on its way, or parked in scratch. */
struct message {
    int step;  /* of the program: the step that sent it */
    int slots; /* the first, at the sender; once parked, at the receiver */
    bool of_scratch; /* slots are a place of the sender */
    bool parked;
    int next; /* on the link, MSCCL_NONE: the last */
};

/* The size of a place is a power of two, so that it can be reused for any
 * message of about that size. */
enum { SIZES = 26 }; /* up to MSCCL_MOVED_MAX */

/* Places of a rank: scratch beyond the program's own. */
struct places {
    struct {
        int *slots; /* the first of each */
        size_t count, capacity;
    } free[SIZES];
    int used; /* slots of all places so far */
};

/* A stack of blocks. */
struct list {
    int *blocks;
    int count;
};

struct state {
    const struct msccl *m;
    struct schedule *s;
    int base; /* slot of the first place */
    bool opened; /* the schedule has this step already */

    struct list now, acting, later;
    struct list *woken; /* where woken blocks go */
    int *waiting;       /* by step: the first block that waits for it */
    int *waiting_next;  /* by block: the next that waits for the same step */
    bool *listening;    /* by block: it waits for a message */

    int *next; /* by block: its next step */
    int *held; /* by block: first slot that it must send on, or MSCCL_NONE */
    bool *of_places; /* by block: that slot is in a place */
    int *sent;       /* by block: step of the schedule in which it last sent */
    bool *over;      /* by step: it is over */
    struct places *places; /* by rank */

    struct message *messages;
    size_t nmessages, messages_capacity;
    int *head, *tail; /* by link */
    int *fresh;       /* links with a message sent in this step */
    size_t nfresh;
};

static void
put(struct list *l, int block)
{
    l->blocks[l->count++] = block;
}

static int
size_of_place(int count)
{
    int size = 0;

    while (1 << size < count)
        size++;
    return size;
}

/* Returns the first slot of a place for `count` slots. */
static int
take_place(struct state *x, int rank, int count)
{
    struct places *p = &x->places[rank];
    int size = size_of_place(count), first = x->base + p->used;

    if (p->free[size].count > 0)
        return p->free[size].slots[--p->free[size].count];
    p->used += 1 << size;
    return first;
}

static void
give_place(struct state *x, int rank, int first, int count)
{
    struct places *p = &x->places[rank];
    int size = size_of_place(count);

    p->free[size].slots = mem_grow(p->free[size].slots, p->free[size].count,
                                   &p->free[size].capacity, sizeof(int));
    p->free[size].slots[p->free[size].count++] = first;
}

static void
emit(struct state *x, struct transfer t)
{
    if (t.src == t.dst && t.op == TRANSFER_COPY && t.src_slot == t.dst_slot)
        return;
    if (!x->opened)
        schedule_step(x->s, x->m->name);
    x->opened = true;
    schedule_add(x->s, t);
}

static bool
waits(struct state *x, int block, const struct msccl_step *s)
{
    if (s->waits_for == MSCCL_NONE || x->over[s->waits_for])
        return false;
    x->waiting_next[block] = x->waiting[s->waits_for];
    x->waiting[s->waits_for] = block;
    return true;
}

static void
finish(struct state *x, int block)
{
    int step = x->next[block]++;

    x->over[step] = true;
    for (int i = x->waiting[step]; i != MSCCL_NONE; i = x->waiting_next[i])
        put(x->woken, i);
}

static void
send(struct state *x, int block, int slots, bool of_scratch)
{
    int link = x->m->blocks[block].out;
    int receiver = x->m->links[link].receiver;
    int at = (int)x->nmessages;

    x->messages = mem_grow(x->messages, x->nmessages, &x->messages_capacity,
                           sizeof *x->messages);
    x->messages[x->nmessages++] = (struct message){
        .step = x->next[block], .slots = slots, .of_scratch = of_scratch,
        .next = MSCCL_NONE};
    if (x->head[link] == MSCCL_NONE)
        x->head[link] = at;
    else
        x->messages[x->tail[link]].next = at;
    x->tail[link] = at;
    x->fresh[x->nfresh++] = link;
    if (x->listening[receiver]) {
        x->listening[receiver] = false;
        put(x->woken, receiver);
    }
}

/* Sends what the block received, or what its step says; at most once in a step
 * of the schedule. */
static void
send_next(struct state *x, int block, const struct msccl_step *s, int step)
{
    int held = x->held[block];

    x->held[block] = MSCCL_NONE;
    x->sent[block] = step;
    if (held != MSCCL_NONE)
        send(x, block, held, x->of_places[block]);
    else
        send(x, block, s->src, false);
}

/* The first half of a step.  Afterwards the block is in another list or
 * waits. */
static void
go_on(struct state *x, int block, int step)
{
    const struct msccl_block *b = &x->m->blocks[block];

    while (x->next[block] < b->first + b->count) {
        const struct msccl_step *s = &x->m->steps[x->next[block]];
        bool on = x->held[block] != MSCCL_NONE;
        bool sends = on || s->does == (DOES_READ | DOES_SEND);
        if (!on && waits(x, block, s))
            return;
        if (!sends && s->does & DOES_RECEIVE &&
            x->head[b->in] == MSCCL_NONE) {
            x->listening[block] = true;
            return;
        }
        if (!sends && s->does != 0) {
            put(&x->acting, block);
            return;
        }
        if (sends && x->sent[block] == step) {
            put(&x->later, block);
            return;
        }
        if (sends)
            send_next(x, block, s, step);
        finish(x, block);
    }
}

/* Frees the message's place after its last use, in this step. */
static void
release(struct state *x, const struct message *g, const struct msccl_link *l)
{
    int count = x->m->steps[g->step].count;

    if (g->parked)
        give_place(x, l->dst, g->slots, count);
    else if (g->of_scratch)
        give_place(x, l->src, g->slots, count);
}

/* Receives into dst, or into a place if the data is only sent on. */
static void
receive(struct state *x, int block, const struct msccl_step *s)
{
    const struct msccl_block *b = &x->m->blocks[block];
    const struct message *g = &x->messages[x->head[b->in]];
    bool adds = s->does & DOES_ADD, stores = s->does & DOES_WRITE;
    int dst = stores ? s->dst : take_place(x, b->rank, s->count);

    emit(x, (struct transfer){
        .src = g->parked ? b->rank : b->recv, .src_slot = g->slots,
        .dst = b->rank, .dst_slot = dst, .add_slot = adds ? s->src : dst,
        .nslots = s->count, .op = adds ? TRANSFER_REDUCE : TRANSFER_COPY});
    release(x, g, &x->m->links[b->in]);
    x->head[b->in] = g->next;
    if (s->does & DOES_SEND) {
        x->held[block] = dst;
        x->of_places[block] = !stores;
    }
}

/* The second half of a step, once per step. */
static void
act(struct state *x, int block)
{
    const struct msccl_step *s = &x->m->steps[x->next[block]];
    int rank = x->m->blocks[block].rank;

    if (s->does & DOES_RECEIVE)
        receive(x, block, s);
    else
        emit(x, (struct transfer){
            .src = rank, .dst = rank, .src_slot = s->src, .dst_slot = s->dst,
            .add_slot = s->dst, .nslots = s->count,
            .op = s->does & DOES_ADD ? TRANSFER_REDUCE : TRANSFER_COPY});
    if (x->held[block] == MSCCL_NONE)
        finish(x, block);
    put(&x->later, block);
}

/* Parks the messages that were not received in the step that sent them. */
static void
park(struct state *x)
{
    for (size_t i = 0; i < x->nfresh; i++) {
        const struct msccl_link *l = &x->m->links[x->fresh[i]];
        struct message *g;
        int to, count;
        if (x->head[x->fresh[i]] == MSCCL_NONE)
            continue;
        g = &x->messages[x->tail[x->fresh[i]]];
        count = x->m->steps[g->step].count;
        to = take_place(x, l->dst, count);
        emit(x, (struct transfer){
            .src = l->src, .dst = l->dst, .src_slot = g->slots, .dst_slot = to,
            .add_slot = to, .nslots = count, .op = TRANSFER_COPY});
        release(x, g, l);
        g->slots = to;
        g->parked = true;
    }
    x->nfresh = 0;
}

static int
by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void
one_step(struct state *x, int step)
{
    struct list done;

    x->opened = false;
    x->woken = &x->now;
    while (x->now.count > 0)
        go_on(x, x->now.blocks[--x->now.count], step);
    x->woken = &x->later;
    qsort(x->acting.blocks, (size_t)x->acting.count, sizeof *x->acting.blocks,
          by_number);
    for (int i = 0; i < x->acting.count; i++)
        act(x, x->acting.blocks[i]);
    park(x);
    x->acting.count = 0;
    done = x->now;
    x->now = x->later;
    x->later = done;
}

static void
state_init(struct state *x, const struct msccl *m, struct schedule *s)
{
    size_t n = m->nblocks;

    *x = (struct state){.m = m, .s = s, .base = s->nslots};
    x->now.blocks = mem_new(n, sizeof *x->now.blocks);
    x->acting.blocks = mem_new(n, sizeof *x->acting.blocks);
    x->later.blocks = mem_new(n, sizeof *x->later.blocks);
    x->waiting = mem_new(m->nsteps, sizeof *x->waiting);
    x->waiting_next = mem_new(n, sizeof *x->waiting_next);
    x->listening = mem_new(n, sizeof *x->listening);
    x->next = mem_new(n, sizeof *x->next);
    x->held = mem_new(n, sizeof *x->held);
    x->of_places = mem_new(n, sizeof *x->of_places);
    x->sent = mem_new(n, sizeof *x->sent);
    x->over = mem_new(m->nsteps, sizeof *x->over);
    x->places = mem_new((size_t)m->nranks, sizeof *x->places);
    x->head = mem_new(m->nlinks, sizeof *x->head);
    x->tail = mem_new(m->nlinks, sizeof *x->tail);
    x->fresh = mem_new(m->nlinks, sizeof *x->fresh);
    for (size_t i = n; i-- > 0;) {
        x->next[i] = m->blocks[i].first;
        x->held[i] = MSCCL_NONE;
        put(&x->now, (int)i);
    }
    for (size_t i = 0; i < m->nlinks; i++)
        x->head[i] = MSCCL_NONE;
    for (size_t i = 0; i < m->nsteps; i++)
        x->waiting[i] = MSCCL_NONE;
}

static void
state_done(struct state *x)
{
    for (int i = 0; i < x->m->nranks; i++)
        for (int size = 0; size < SIZES; size++)
            free(x->places[i].free[size].slots);
    free(x->now.blocks);
    free(x->acting.blocks);
    free(x->later.blocks);
    free(x->waiting);
    free(x->waiting_next);
    free(x->listening);
    free(x->next);
    free(x->held);
    free(x->of_places);
    free(x->sent);
    free(x->over);
    free(x->places);
    free(x->messages);
    free(x->head);
    free(x->tail);
    free(x->fresh);
}

bool
msccl_run(struct msccl *m, struct schedule *s, struct err *err)
{
    struct state x;
    int most = 0;
    bool fits;

    state_init(&x, m, s);
    for (int step = 1; x.now.count > 0; step++)
        one_step(&x, step);
    for (int rank = 0; rank < m->nranks; rank++)
        most = x.places[rank].used > most ? x.places[rank].used : most;
    state_done(&x);
    fits = schedule_add_scratch(s, most, err);
    m->too_large = !fits;
    return fits;
}
