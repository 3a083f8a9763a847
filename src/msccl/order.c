/* SPDX-License-Identifier: MIT */
/* A program of thread blocks as steps.
 *
 * Step by step every thread block does what it can: first it sends, and what
 * only waits is over; then it receives, or moves something within its rank,
 * once a step.  Sends read the state before the step, so what follows a send,
 * in its thread block or by a dependency, may come in the same step.  An
 * instruction that sends on what it received does so in the next step.
 *
 * A block is always in one place: among those that go on in this step, those
 * that then act in it, those that go on in the next one, or it waits for a step
 * or for a message, and is found there when that comes. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "msccl/program.h"

/* On its way, or in a place. */
struct message {
    int step;  /* of the program: who sent it */
    int slots; /* first one, of the sender, once parked of the receiver */
    bool of_scratch; /* slots are a place of the sender */
    bool parked;
    int next; /* in the link, MSCCL_NONE: the last */
};

/* A place has a power of two of slots, so that any other message of that size
 * fits it later on. */
enum { SIZES = 25 }; /* up to MSCCL_MOVED_MAX */

/* Places of a rank: scratch beyond the program's own. */
struct places {
    struct {
        int *slots; /* first ones */
        size_t count, capacity;
    } free[SIZES];
    int used; /* slots, ever */
};

/* Of blocks, a stack. */
struct list {
    int *blocks;
    int count;
};

struct state {
    const struct msccl *m;
    struct schedule *s;
    int base; /* slot of the first place */
    bool opened; /* the schedule's step */

    struct list now, acting, later;
    struct list *woken; /* where a block goes that need wait no longer */
    int *waiting;       /* by step: the first block that waits for it */
    int *waiting_next;  /* by block: the next that waits for the same step */
    bool *listening;    /* by block: it waits for a message */

    int *next; /* by block: step */
    int *held; /* by block: first slot that it is to send on, or MSCCL_NONE */
    bool *of_places; /* by block: that is a place */
    int *sent;       /* by block: step of the schedule in which it sent */
    bool *over;      /* by step */
    struct places *places; /* by rank */

    struct message *messages;
    size_t nmessages, messages_capacity;
    int *head, *tail; /* by link */
    int *fresh;       /* links with a message of this step */
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

/* The first slot of a place for so many. */
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

/* Sends what it received, or what its step says, once in a step of the
 * schedule. */
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

/* What a block does first in a step; then it is in another list, or waits. */
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

/* Its slots are read for the last time, in this step. */
static void
release(struct state *x, const struct message *g, const struct msccl_link *l)
{
    int count = x->m->steps[g->step].count;

    if (g->parked)
        give_place(x, l->dst, g->slots, count);
    else if (g->of_scratch)
        give_place(x, l->src, g->slots, count);
}

/* Receives, to dst, or to a place where it is only sent on. */
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

/* What a block does then, once in a step. */
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

/* What was not received in the step that sent it. */
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
