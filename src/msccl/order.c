/* SPDX-License-Identifier: MIT */
/* Turns a program of thread blocks into steps of a schedule.
 *
 * In each step every thread block does what it can.  First it sends, and steps
 * that only wait are over.  Then it receives, or moves something within its
 * rank.  It does either at most once.  Sends read the state before the step, so
 * an instruction that follows a send, in its thread block or by a dependency,
 * may be in the same step.  An instruction that forwards what it received does
 * so in the next step.
 *
 * So the time of an instruction follows from the times of those it comes after,
 * and these come first in the order that msccl_ends() has found. */
#include <stdlib.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "msccl/file.h"

/* When an instruction happens, in steps of the schedule. */
struct times {
    int sent; /* 0: it does not send */
    int over; /* instructions that wait for it go on */
};

/* An instruction receives or moves something, or what it sent is parked in
 * scratch, because it is received in a later step. */
struct event {
    int step; /* of the schedule */
    bool parks;
    int instr;
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

struct state {
    const struct msccl *m;
    struct schedule *s;
    int base; /* slot of the first place */
    int step; /* that the last transfer is in */
    int *slots; /* by instruction: the first slot of what it sends, at the
                 * sender; once parked, at the receiver */
    bool *parked;          /* by instruction: what it has sent is parked */
    struct places *places; /* by rank */
    struct event *events;
    size_t nevents;
};

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
emit_transfer(struct state *x, const struct event *e, struct transfer t)
{
    if (t.src == t.dst && t.op == TRANSFER_COPY && t.src_slot == t.dst_slot)
        return;
    if (x->step != e->step)
        schedule_step(x->s, x->m->name);
    x->step = e->step;
    schedule_add(x->s, t);
}

/* Frees the place that a message was in, after its last use. */
static void
release_place(struct state *x, int sender)
{
    const struct msccl_step *t = &x->m->steps[sender];
    const struct msccl_block *b = &x->m->blocks[t->block];

    if (x->parked[sender])
        give_place(x, b->send, x->slots[sender], t->count);
    else if (t->does & DOES_RECEIVE && !(t->does & DOES_WRITE))
        give_place(x, b->rank, x->slots[sender], t->count);
}

/* Receives into dst, or into a place if the data is only sent on; or moves
 * something within the rank. */
static void
run_instruction(struct state *x, const struct event *e)
{
    const struct msccl_step *t = &x->m->steps[e->instr];
    const struct msccl_block *b = &x->m->blocks[t->block];
    bool adds = t->does & DOES_ADD, receives = t->does & DOES_RECEIVE;
    int dst = t->does & DOES_WRITE ? t->dst : take_place(x, b->rank, t->count);

    emit_transfer(x, e, (struct transfer){
        .src = receives && !x->parked[t->sender] ? b->recv : b->rank,
        .src_slot = receives ? x->slots[t->sender] : t->src,
        .dst = b->rank, .dst_slot = dst,
        .add_slot = adds && receives ? t->src : dst, .nslots = t->count,
        .op = adds ? TRANSFER_REDUCE : TRANSFER_COPY});
    if (receives)
        release_place(x, t->sender);
    x->slots[e->instr] = dst;
}

static void
park_message(struct state *x, const struct event *e)
{
    const struct msccl_step *t = &x->m->steps[e->instr];
    const struct msccl_block *b = &x->m->blocks[t->block];
    int to = take_place(x, b->send, t->count);

    emit_transfer(x, e, (struct transfer){
        .src = b->rank, .dst = b->send, .src_slot = x->slots[e->instr],
        .dst_slot = to, .add_slot = to, .nslots = t->count,
        .op = TRANSFER_COPY});
    release_place(x, e->instr);
    x->slots[e->instr] = to;
    x->parked[e->instr] = true;
}

/* Each instruction happens as early as it can, in step `now`. */
static void
find_times(struct state *x, const int *order)
{
    const struct msccl *m = x->m;
    OWN_MEMORY struct times *times = mem_new(m->nsteps, sizeof *times);
    OWN_MEMORY struct times *blocks = mem_new(m->nblocks, sizeof *blocks);

    for (size_t i = 0; i < m->nsteps; i++) {
        const struct msccl_step *t = &m->steps[order[i]];
        struct times *block = &blocks[t->block]; /* of its last send and step */
        int now = most(block->over, 1);

        if (t->waits_for != MSCCL_NONE)
            now = most(now, times[t->waits_for].over);
        if (t->sender != MSCCL_NONE && times[t->sender].sent < now)
            x->events[x->nevents++] =
                (struct event){times[t->sender].sent, true, t->sender};
        else if (t->sender != MSCCL_NONE)
            now = times[t->sender].sent;
        if (t->does & (DOES_RECEIVE | DOES_WRITE))
            x->events[x->nevents++] = (struct event){now++, false, order[i]};
        if (t->does & DOES_SEND) {
            now += now == block->sent;
            block->sent = times[order[i]].sent = now;
        }
        block->over = times[order[i]].over = now;
        x->slots[order[i]] = t->src; /* unless it acts first */
    }
}

/* Within a step instructions come in the order of thread blocks, then messages
 * are parked. */
static int
by_event_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    return x->step != y->step     ? x->step - y->step
           : x->parks != y->parks ? x->parks - y->parks
                                  : x->instr - y->instr;
}

bool
msccl_run(struct msccl *m, const int *order, struct schedule *s,
          struct err *err)
{
    struct state x = {
        .m = m, .s = s, .base = s->nslots,
        .slots = mem_new(m->nsteps, sizeof *x.slots),
        .parked = mem_new(m->nsteps, sizeof *x.parked),
        .places = mem_new((size_t)m->nranks, sizeof *x.places),
        .events = mem_new(2 * m->nsteps, sizeof *x.events)};
    int used = 0;

    find_times(&x, order);
    qsort(x.events, x.nevents, sizeof *x.events, by_event_time);
    for (const struct event *e = x.events; e < x.events + x.nevents; e++)
        if (e->parks)
            park_message(&x, e);
        else
            run_instruction(&x, e);
    for (int rank = 0; rank < m->nranks; rank++) {
        used = most(used, x.places[rank].used);
        for (int size = 0; size < SIZES; size++)
            free(x.places[rank].free[size].slots);
    }
    free(x.slots);
    free(x.parked);
    free(x.places);
    free(x.events);
    m->too_large = !schedule_add_scratch(s, used, err);
    return !m->too_large;
}
