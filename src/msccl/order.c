/* SPDX-License-Identifier: MIT */
/* A program of thread blocks as steps.
 *
 * Step by step every thread block does what it can: first it sends, and what
 * only waits is over; then it receives, or moves something within its rank,
 * once a step.  Sends read the state before the step, so what follows a send,
 * in its thread block or by a dependency, may come in the same step.  An
 * instruction that sends on what it received does so in the next step.
 *
 * Races are found with vector clocks: every block counts its steps and knows
 * how far it is behind each other block, by what it waited for and by what
 * came with messages. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "msccl/program.h"

enum { NONE = -1 };

/* On its way, or in a place. */
struct message {
    int step;   /* of the program: who sent it */
    int *slots; /* of the sender, once parked of the receiver */
    bool of_scratch; /* slots are places of the sender */
    bool parked;
    uint32_t *clock; /* of the sender */
    int next;        /* in the link, NONE: the last */
};

/* Places of a rank: scratch beyond the program's own. */
struct places {
    int *free;
    size_t nfree, capacity;
    int used; /* ever */
};

/* Who read a slot since it was written; a list a slot. */
struct reading {
    int block;
    uint32_t time;
    int next;
};

struct cell {
    int writer; /* block, NONE */
    uint32_t time;
    int reading; /* NONE */
};

struct state {
    const struct msccl *m;
    struct schedule *s;
    struct err *err;
    int base; /* slot of the first place */
    int64_t work;
    bool opened; /* the schedule's step */

    int *next;      /* by block: step */
    int **held;     /* by block: slots that it is to send on, or NULL */
    bool *of_places;  /* by block: those are places */
    int *sent;      /* by block: step in which it sent */
    int *done_at;   /* by step of the program; 0: not yet */
    struct places *places; /* by rank */

    struct message *messages;
    size_t nmessages, messages_capacity;
    int *head, *tail; /* by link */
    int *fresh;       /* links with a message of this step */
    size_t nfresh;

    uint32_t *clocks;     /* block x block */
    uint32_t **snapshots; /* by step of the program that is awaited */
    int64_t words;        /* in snapshots and messages */
    struct cell *cells;
    struct reading *readings;
    size_t nreadings, readings_capacity;
    int free_reading;
};

static uint32_t *
clock_of(const struct state *x, int block)
{
    return x->clocks + (size_t)block * x->m->nblocks;
}

static bool
too_much(struct state *x)
{
    return err_set(x->err, "its order takes more to judge than collviz has");
}

static uint32_t *
snapshot(struct state *x, int block)
{
    uint32_t *copy = mem_new(x->m->nblocks, sizeof *copy);

    memcpy(copy, clock_of(x, block), x->m->nblocks * sizeof *copy);
    x->words += (int64_t)x->m->nblocks;
    return copy;
}

static void
join(struct state *x, int block, const uint32_t *with)
{
    uint32_t *clock = clock_of(x, block);

    for (size_t i = 0; i < x->m->nblocks; i++)
        clock[i] = with[i] > clock[i] ? with[i] : clock[i];
    x->work += (int64_t)x->m->nblocks / 8;
}

static bool
is_before(const struct state *x, int other, uint32_t time, int block)
{
    return clock_of(x, block)[other] >= time;
}

static bool
race(struct state *x, int block, int other, uint32_t time, int slot)
{
    const struct msccl_block *o = &x->m->blocks[other];

    err_set(x->err, "races with thread block %d, step %d: nothing orders "
            "them, both use slot %d, and one writes it", o->id, (int)time - 1,
            slot);
    return msccl_at(x->m, block, x->next[block], x->err);
}

static struct cell *
cell_of(const struct state *x, int block, int slot)
{
    return &x->cells[(size_t)x->m->blocks[block].rank *
                         (size_t)x->base + (size_t)slot];
}

/* Takes readings out of a slot's list that this block is behind: who is
 * behind it is behind them. Stops at one that it is not behind if `all`. */
static bool
forget_readings(struct state *x, int block, struct cell *c, bool all,
                int slot)
{
    int *link = &c->reading;

    while (*link != NONE) {
        int at = *link;
        struct reading *r = &x->readings[at];
        x->work += 4;
        if (is_before(x, r->block, r->time, block)) {
            *link = r->next;
            r->next = x->free_reading;
            x->free_reading = at;
        } else if (all) {
            return race(x, block, r->block, r->time, slot);
        } else {
            link = &r->next;
        }
    }
    return true;
}

static int
new_reading(struct state *x)
{
    int at = x->free_reading;

    if (at != NONE) {
        x->free_reading = x->readings[at].next;
        return at;
    }
    x->readings = mem_grow(x->readings, x->nreadings, &x->readings_capacity,
                           sizeof *x->readings);
    return (int)x->nreadings++;
}

static bool
note_read(struct state *x, int block, const int *slots, int count)
{
    for (int k = 0; k < count; k++) {
        struct cell *c = cell_of(x, block, slots[k]);
        int at;
        if (c->writer != NONE && !is_before(x, c->writer, c->time, block))
            return race(x, block, c->writer, c->time, slots[k]);
        if (!forget_readings(x, block, c, false, slots[k]))
            return false;
        at = new_reading(x);
        x->readings[at] = (struct reading){
            block, clock_of(x, block)[block], c->reading};
        c->reading = at;
    }
    return true;
}

static bool
note_write(struct state *x, int block, const int *slots, int count)
{
    for (int k = 0; k < count; k++) {
        struct cell *c = cell_of(x, block, slots[k]);
        if (c->writer != NONE && !is_before(x, c->writer, c->time, block))
            return race(x, block, c->writer, c->time, slots[k]);
        if (!forget_readings(x, block, c, true, slots[k]))
            return false;
        c->writer = block;
        c->time = clock_of(x, block)[block];
    }
    return true;
}

static int *
slots_from(int first, int count)
{
    int *slots = mem_new((size_t)count, sizeof *slots);

    for (int k = 0; k < count; k++)
        slots[k] = first + k;
    return slots;
}

static int *
take_places(struct state *x, int rank, int count)
{
    struct places *p = &x->places[rank];
    int *slots = mem_new((size_t)count, sizeof *slots);

    for (int k = 0; k < count; k++)
        slots[k] = p->nfree > 0 ? p->free[--p->nfree] : x->base + p->used++;
    return slots;
}

static void
give_places(struct state *x, int rank, const int *slots, int count)
{
    struct places *p = &x->places[rank];

    for (int k = count; k-- > 0;) {
        p->free = mem_grow(p->free, p->nfree, &p->capacity, sizeof *p->free);
        p->free[p->nfree++] = slots[k];
    }
}

static bool
follow(const int *slots, int k)
{
    return slots[k] == slots[k - 1] + 1;
}

/* Transfers of consecutive slots. */
static void
emit(struct state *x, enum transfer_op op, int src, const int *from, int dst,
     const int *to, const int *add, int count)
{
    for (int k = 0, n; k < count; k += n) {
        for (n = 1; k + n < count && follow(from, k + n) &&
                    follow(to, k + n) && follow(add, k + n); n++)
            ;
        if (src == dst && op == TRANSFER_COPY && from[k] == to[k])
            continue;
        if (!x->opened)
            schedule_step(x->s, x->m->name);
        x->opened = true;
        schedule_add(x->s, (struct transfer){
            .src = src, .dst = dst, .src_slot = from[k], .dst_slot = to[k],
            .add_slot = add[k], .nslots = n, .op = op});
    }
}

/* A step that waits may go on if the other is over, in an earlier step of the
 * schedule or as one that only sent in this one. */
static bool
may_begin(const struct state *x, const struct msccl_step *s, int step)
{
    return s->dep_step < 0 ||
           (x->done_at[s->dep_step] != 0 && x->done_at[s->dep_step] <= 2 * step);
}

static void
begin(struct state *x, int block, const struct msccl_step *s)
{
    if (s->dep_step >= 0)
        join(x, block, x->snapshots[s->dep_step]);
    clock_of(x, block)[block]++;
}

/* `when` is twice the schedule's step, plus 1 if it wrote in it. */
static void
finish(struct state *x, int block, int when)
{
    int step = x->next[block]++;

    x->done_at[step] = when;
    if (x->m->steps[step].awaited)
        x->snapshots[step] = snapshot(x, block);
}

/* Takes over `slots`. */
static bool
send(struct state *x, int block, int *slots, bool of_places)
{
    int link = x->m->blocks[block].out;
    int at = (int)x->nmessages;
    int count = x->m->steps[x->next[block]].count;
    bool ok = of_places || note_read(x, block, slots, count);

    x->messages = mem_grow(x->messages, x->nmessages, &x->messages_capacity,
                           sizeof *x->messages);
    x->messages[x->nmessages++] = (struct message){
        .step = x->next[block], .slots = slots, .of_scratch = of_places,
        .clock = snapshot(x, block), .next = NONE};
    if (x->head[link] == NONE)
        x->head[link] = at;
    else
        x->messages[x->tail[link]].next = at;
    x->tail[link] = at;
    x->fresh[x->nfresh++] = link;
    return ok;
}

/* What a block does first in a step. */
static bool
go_on(struct state *x, int block, int step, bool *moved)
{
    const struct msccl_block *b = &x->m->blocks[block];

    for (; x->next[block] < b->first + b->count; *moved = true) {
        const struct msccl_step *s = &x->m->steps[x->next[block]];
        bool on = x->held[block] != NULL;
        bool sends = on || s->does == (DOES_READ | DOES_SEND);
        int *slots = x->held[block];
        if ((!sends && s->does != 0) || (sends && x->sent[block] == step) ||
            (!on && !may_begin(x, s, step)))
            break;
        if (!on)
            begin(x, block, s);
        x->held[block] = NULL;
        if (sends) {
            x->sent[block] = step;
            if (!send(x, block, on ? slots : slots_from(s->src, s->count),
                      on && x->of_places[block]))
                return false;
        }
        finish(x, block, 2 * step);
    }
    return true;
}

/* The message is with the receiver. */
static void
release_sender(struct state *x, struct message *g, const struct msccl_link *l)
{
    if (g->of_scratch)
        give_places(x, l->src, g->slots, x->m->steps[g->step].count);
    free(g->slots);
    g->slots = NULL;
}

/* Receives, to dst, or to places where it is only sent on. */
static void
receive(struct state *x, int block, const struct msccl_step *s, int *src,
        int *dst)
{
    const struct msccl_block *b = &x->m->blocks[block];
    struct message *g = &x->messages[x->head[b->in]];
    enum transfer_op op = s->does & DOES_ADD ? TRANSFER_REDUCE : TRANSFER_COPY;
    bool stores = s->does & DOES_WRITE;

    join(x, block, g->clock);
    free(g->clock);
    g->clock = NULL;
    x->words -= (int64_t)x->m->nblocks;
    if (g->parked && !stores) { /* its places take the sum, and go on */
        emit(x, op, b->rank, src, b->rank, g->slots, g->slots, s->count);
        dst = g->slots;
        g->slots = NULL;
    } else {
        if (!stores)
            dst = take_places(x, b->rank, s->count);
        emit(x, op, g->parked ? b->rank : b->recv, g->slots, b->rank, dst,
             s->does & DOES_ADD ? src : dst, s->count);
        if (g->parked) {
            give_places(x, b->rank, g->slots, s->count);
            free(g->slots);
            g->slots = NULL;
        } else {
            release_sender(x, g, &x->m->links[b->in]);
        }
    }
    x->head[b->in] = g->next;
    if (s->does & DOES_SEND) {
        x->held[block] = dst;
        x->of_places[block] = !stores;
    }
}

static void
move(struct state *x, int rank, const struct msccl_step *s, const int *src,
     const int *dst)
{
    emit(x, s->does & DOES_ADD ? TRANSFER_REDUCE : TRANSFER_COPY, rank, src,
         rank, dst, dst, s->count);
}

/* What a block does then, at most once a step. */
static bool
act(struct state *x, int block, int step, bool *moved)
{
    const struct msccl_block *b = &x->m->blocks[block];
    const struct msccl_step *s;
    int *src, *dst;
    bool ok;

    if (x->next[block] == b->first + b->count)
        return true;
    s = &x->m->steps[x->next[block]];
    if (x->held[block] != NULL || s->does == 0 ||
        s->does == (DOES_READ | DOES_SEND) || !may_begin(x, s, step) ||
        (s->does & DOES_RECEIVE && x->head[b->in] == NONE))
        return true;
    *moved = true;
    begin(x, block, s);
    src = slots_from(s->src, s->count);
    dst = slots_from(s->dst, s->count);
    if (s->does & DOES_RECEIVE)
        receive(x, block, s, src, dst);
    else
        move(x, b->rank, s, src, dst);
    ok = (!(s->does & DOES_READ) || note_read(x, block, src, s->count)) &&
         (!(s->does & DOES_WRITE) || note_write(x, block, dst, s->count));
    free(src);
    if (x->held[block] != dst)
        free(dst);
    if (ok && x->held[block] == NULL)
        finish(x, block, 2 * step + 1);
    return ok && (x->work <= MSCCL_WORK_MAX || too_much(x));
}

/* What was not received in the step that sent it. */
static void
park(struct state *x)
{
    for (size_t i = 0; i < x->nfresh; i++) {
        const struct msccl_link *l = &x->m->links[x->fresh[i]];
        struct message *g;
        int *slots, count;
        if (x->head[x->fresh[i]] == NONE)
            continue;
        g = &x->messages[x->tail[x->fresh[i]]];
        count = x->m->steps[g->step].count;
        slots = take_places(x, l->dst, count);
        emit(x, TRANSFER_COPY, l->src, g->slots, l->dst, slots, slots, count);
        release_sender(x, g, l);
        g->slots = slots;
        g->parked = true;
    }
    x->nfresh = 0;
}

static bool
one_step(struct state *x, int step, bool *moved)
{
    size_t n = x->m->nblocks;
    bool more = true;

    *moved = false;
    x->opened = false;
    while (more) {
        more = false;
        for (size_t i = 0; i < n; i++)
            if (!go_on(x, (int)i, step, &more))
                return false;
        *moved = *moved || more;
        x->work += (int64_t)n;
        if (x->work > MSCCL_WORK_MAX)
            return too_much(x);
    }
    for (size_t i = 0; i < n; i++)
        if (!act(x, (int)i, step, moved))
            return false;
    park(x);
    return x->words <= MSCCL_CLOCKS_MAX || too_much(x);
}

static void
state_init(struct state *x, const struct msccl *m, struct schedule *s,
           struct err *err)
{
    size_t n = m->nblocks, cells = (size_t)s->nranks * (size_t)s->nslots;

    *x = (struct state){.m = m, .s = s, .err = err, .base = s->nslots,
                        .free_reading = NONE};
    x->next = mem_new(n, sizeof *x->next);
    x->held = mem_new(n, sizeof *x->held);
    x->of_places = mem_new(n, sizeof *x->of_places);
    x->sent = mem_new(n, sizeof *x->sent);
    x->done_at = mem_new(m->nsteps, sizeof *x->done_at);
    x->places = mem_new((size_t)m->nranks, sizeof *x->places);
    x->head = mem_new(m->nlinks, sizeof *x->head);
    x->tail = mem_new(m->nlinks, sizeof *x->tail);
    x->fresh = mem_new(m->nlinks, sizeof *x->fresh);
    x->snapshots = mem_new(m->nsteps, sizeof *x->snapshots);
    x->clocks = mem_new(n * n, sizeof *x->clocks);
    x->cells = mem_new(cells, sizeof *x->cells);
    for (size_t i = 0; i < n; i++)
        x->next[i] = m->blocks[i].first;
    for (size_t i = 0; i < m->nlinks; i++)
        x->head[i] = NONE;
    for (size_t i = 0; i < cells; i++)
        x->cells[i] = (struct cell){NONE, 0, NONE};
}

static void
state_done(struct state *x)
{
    for (size_t i = 0; i < x->m->nblocks; i++)
        free(x->held[i]);
    for (size_t i = 0; i < x->m->nsteps; i++)
        free(x->snapshots[i]);
    for (size_t i = 0; i < x->nmessages; i++) {
        free(x->messages[i].slots);
        free(x->messages[i].clock);
    }
    for (int i = 0; i < x->m->nranks; i++)
        free(x->places[i].free);
    free(x->next);
    free(x->held);
    free(x->of_places);
    free(x->sent);
    free(x->done_at);
    free(x->places);
    free(x->messages);
    free(x->head);
    free(x->tail);
    free(x->fresh);
    free(x->clocks);
    free(x->snapshots);
    free(x->cells);
    free(x->readings);
}

bool
msccl_run(const struct msccl *m, struct schedule *s, struct err *err)
{
    struct state x;
    bool ok = true, moved = true;
    int most = 0;

    if ((int64_t)m->nblocks * (int64_t)m->nblocks > MSCCL_CLOCKS_MAX)
        return err_set(err, "%zu thread blocks are more than collviz takes",
                       m->nblocks);
    state_init(&x, m, s, err);
    for (int step = 1; ok && moved; step++)
        ok = one_step(&x, step, &moved);
    for (int rank = 0; rank < m->nranks; rank++)
        most = x.places[rank].used > most ? x.places[rank].used : most;
    state_done(&x);
    return ok && schedule_add_scratch(s, most, err);
}
