/* SPDX-License-Identifier: MIT */
/* The rank machine: advances one rank through its program until it would have
 * to wait.  The same source serves every kind of rank that pulls from its
 * peers' memory: cc compiles it for threads, nvcc as the body of a kernel.
 *
 * A rank counts the instructions that it has finished and publishes the count;
 * a rank that waits for it loads the count with acquire.  Counts are never
 * reset: instruction i of slice s has the number origin + s * length + i + 1,
 * where origin is the count before the call.
 *
 * A large message runs the whole program over one slice of each chunk after
 * another, so that ranks pipeline and caches stay warm.  Slices touch different
 * elements and need no order between them.  A partial range of steps runs as
 * one slice.
 *
 * A rank may be several blocks (a GPU's thread blocks).  Each owns a stripe of
 * every slot and waits for the same block of other ranks.  Block 0 keeps the
 * ledger and the events.  On a GPU all threads of a block call rank_advance,
 * each with a struct rank of its own; these stay equal except for what only the
 * leader or the scout needs (waiting, delays, the log).
 *
 * The includer defines before including:
 *     RANK_FN                      "static inline", with its qualifiers
 *     RANK_RARE                    the same for functions better not inlined
 *     RANK_COUNTERS(c, rank)       the counters of a rank's blocks
 *     RANK_REACHED(c, p, target)   whether *p is at least `target`: a load with
 *                                  acquire, or several until it is
 *     RANK_RELEASE(c, host)        orders what the block did before the stores
 *                                  below; `host`: for the host as well
 *     RANK_STORE(p, value)         stores a uint64_t after RANK_RELEASE
 *     RANK_UNIFORM(one, condition) the condition's value in the one thread for
 *                                  which `one` is true, in every thread
 *     RANK_SYNC()                  a barrier of the block
 *     RANK_LEADER                  true in one thread of the block
 *     RANK_SCOUT                   true in one thread that can wait for peers
 *                                  while the leader publishes
 *     RANK_NOW()                   nanoseconds since the run began
 *     RANK_MOVE(c, to, from, n)            to[i] = from[i]
 *     RANK_COMBINE(c, to, add, from, n)    to[i] = add[i] + from[i]
 *     RANK_DIVIDE(c, to, n)                to[i] = to[i] / nranks
 *     RANK_CORRUPT(c, to)                  corrupts to[0] so that it shows
 * with elements of the run's type and `+` its operator. */
#ifndef RUN_RANK_H
#define RUN_RANK_H

#include <string.h>

#include "run/rank_call.h"

RANK_FN int64_t
rank_least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

RANK_FN uint64_t *
rank_row(const struct rank_call *c, int rank, int slot)
{
    return c->ledger + ((size_t)rank * (size_t)c->nslots + (size_t)slot) *
                           (size_t)ledger_words(c->nranks);
}

/* Elements of a slice of a slot, from *from on. */
RANK_FN int64_t
rank_slice(const struct rank_call *c, int slice, int64_t length,
           int64_t *from)
{
    *from = c->slice * slice;
    return rank_least(length - *from, c->slice);
}

/* A block's stripe of a slice of n elements, from *from on.  The place where it
 * begins does not depend on n: a slot may hold a longer chunk first and a
 * shorter one later, and a block waits for the readers of its own stripe
 * only. */
RANK_FN int64_t
rank_stripe(const struct rank_call *c, int block, int64_t n, int64_t *from)
{
    int64_t grain = RANK_STRIPE / c->element, begin;
    int before = block - 1; /* blocks between the first one and this one */

    if (c->nblocks == 1)
        return n;
    if (block == 0)
        return rank_least(n, c->first_stripe);
    begin = c->first_stripe + c->stripe * before +
            grain * rank_least(before, c->longer_stripes);
    *from += begin;
    return rank_least(n - begin,
                      c->stripe + (before < c->longer_stripes ? grain : 0));
}

/* What a rank waits for: that a counter reaches a number. */
struct rank_goal {
    const uint64_t *done;
    uint64_t target;
};

RANK_FN struct rank_goal
rank_goal(const struct rank_call *c, const struct rank *r,
          const struct wait *w)
{
    const struct rank_counter *other = RANK_COUNTERS(c, w->rank) + r->block;

    return (struct rank_goal){
        &other->done, other->origin + (uint64_t)r->slice * other->length +
                          w->count};
}

/* Whether the ranks that an instruction waits for have come far enough; if not,
 * *blocker is one that has not.  Goals come in pairs, whose loads overlap: most
 * instructions have no more. */
RANK_FN bool
rank_ready(const struct rank_call *c, const struct rank *r,
           const struct instr *in, int *blocker)
{
    for (int i = 0; i < in->nwaits; i += 2) {
        bool two = i + 1 < in->nwaits;
        const struct wait *w = c->waits + in->first_wait + i;
        struct rank_goal a = rank_goal(c, r, w), b = rank_goal(c, r, w + two);
        bool first = RANK_REACHED(c, a.done, a.target);

        if (first && (!two || RANK_REACHED(c, b.done, b.target)))
            continue;
        if (in->op == INSTR_END && r->slice + 1 < c->nslices)
            return true; /* slots are free only after the last slice */
        *blocker = w[first].rank;
        return false;
    }
    return true;
}

/* What a block does to one slot: its stripe of a slice. */
struct rank_piece {
    unsigned char *dst;
    const unsigned char *add, *src;
    int64_t n;     /* elements of the stripe; none if it is not positive */
    int64_t whole; /* elements of the slice */
    bool begins;   /* the stripe has the slot's first element */
};

RANK_FN struct rank_piece
rank_piece(const struct rank_call *c, const struct rank *r,
           const struct rank_move *m)
{
    int64_t from, whole = rank_slice(c, r->slice, m->length, &from);
    int64_t n = rank_stripe(c, r->block, whole, &from);
    size_t at = (size_t)from * (size_t)c->element;

    return (struct rank_piece){m->dst + at, m->add + at, m->src + at,
                               n, whole, from == 0};
}

/* Moves or combines the payload of one slot.  Returns how many elements of the
 * whole slice arrived, in every block. */
RANK_FN int64_t
rank_payload(const struct rank_call *c, const struct instr *in,
             const struct rank_piece *p, bool watched)
{
    (void)c; /* RANK_MOVE() may need it */
    if (p->whole <= 0)
        return 0;
    if (watched && in->fault == FAULT_DROP) {
        if (p->n > 0 && p->add != p->dst)
            RANK_MOVE(c, p->dst, p->add, p->n);
        return 0;
    }
    if (p->n <= 0)
        return p->whole;
    if (in->op == INSTR_REDUCE) {
        RANK_COMBINE(c, p->dst, p->add, p->src, p->n);
        if (watched && in->fault == FAULT_REPEAT)
            RANK_COMBINE(c, p->dst, p->dst, p->src, p->n);
    } else {
        RANK_MOVE(c, p->dst, p->src, p->n);
    }
    if (watched && in->fault == FAULT_CORRUPT && p->begins)
        RANK_CORRUPT(c, p->dst);
    return p->whole;
}

/* Does to the ledger row of one slot what rank_payload did to its payload. */
RANK_RARE void
rank_ledger(const struct rank_call *c, int rank, const struct instr *in, int k)
{
    uint64_t *dst = rank_row(c, rank, in->dst_slot + k);
    const uint64_t *add = rank_row(c, rank, in->add_slot + k);
    const uint64_t *src = rank_row(c, in->peer, in->src_slot + k);

    if (in->fault == FAULT_DROP) {
        if (add != dst)
            ledger_copy(dst, add, c->nranks);
    } else if (in->op == INSTR_REDUCE) {
        ledger_add(dst, add, src, c->nranks);
        if (in->fault == FAULT_REPEAT)
            ledger_add(dst, dst, src, c->nranks);
    } else {
        ledger_copy(dst, src, c->nranks);
    }
}

RANK_RARE void
rank_content(const struct rank_call *c, int rank, int slot, int64_t length,
             uint64_t *content)
{
    const struct rank_slot *s = c->slots + (size_t)rank * c->nslots + slot;

    content_copy(content, rank_row(c, rank, slot), c->nranks, s->data,
                 rank_least(length, s->length), c->element);
}

/* The event of an instruction that began at `begin`.  The caller fills in what
 * was moved, and when it ended. */
RANK_FN struct event
rank_event(const struct rank *r, const struct instr *in, int64_t begin)
{
    struct event e = {0};

    e.step = in->step;
    e.slice = r->slice;
    e.src = in->peer;
    e.dst = r->index;
    e.src_slot = in->src_slot;
    e.dst_slot = in->final_slot;
    e.nslots = in->nslots;
    e.op = in->op == INSTR_REDUCE ? EVENT_REDUCE : EVENT_COPY;
    e.fault = in->fault;
    e.begin_ns = begin;
    e.waited_for = r->waiting_for;
    e.wait_ns = r->waiting_for < 0 ? 0 : begin - r->waiting_since;
    return e;
}

RANK_FN void
rank_log(struct rank *r, const struct event *e)
{
    r->log->events[r->log->nevents++] = *e;
}

/* Copies the contents of `nslots` slots, from `slot` on, for an event. */
RANK_FN uint64_t *
rank_contents(const struct rank_call *c, struct rank *r,
              const struct instr *in, int slot, int nslots)
{
    size_t words = (size_t)content_words(c->nranks);
    uint64_t *contents = r->log->contents + r->log->ncontents * words;

    r->log->ncontents += (uint64_t)nslots;
    for (int k = 0; k < nslots; k++)
        rank_content(c, r->index, slot + k,
                     in->op == INSTR_END ? INT64_MAX
                                         : c->moves[in->first_slot + k].length,
                     contents + (size_t)k * words);
    return contents;
}

/* Divides this block's part of the rank's output, slice by slice. */
RANK_FN void
rank_divide(const struct rank_call *c, const struct rank *r)
{
    struct region out = c->outputs[r->index];
    const struct rank_slot *slots =
        c->slots + (size_t)r->index * c->nslots + out.first;

    for (int k = 0; k < out.count; k++)
        for (int slice = 0; slice < c->nslices; slice++) {
            int64_t from, n = rank_slice(c, slice, slots[k].length, &from);
            n = rank_stripe(c, r->block, n, &from);
            if (n > 0)
                RANK_DIVIDE(c, slots[k].data + from * c->element, n);
        }
}

/* avg: every rank that holds an output divides it, once nobody reads it any
 * more. */
RANK_FN void
rank_finish(const struct rank_call *c, struct rank *r, const struct instr *in,
            bool logs)
{
    struct region out = c->outputs[r->index];
    int64_t begin = 0;

    if (!c->divide || out.count == 0 || r->slice + 1 < c->nslices)
        return;
    if (logs)
        begin = RANK_NOW();
    rank_divide(c, r);
    RANK_SYNC();
    if (logs) {
        struct event e = rank_event(r, in, begin);

        e.op = EVENT_DIVIDE;
        e.slice = 0;
        e.dst_slot = e.src_slot = out.first;
        e.nslots = out.count;
        e.content = rank_contents(c, r, in, out.first, out.count);
        e.end_ns = RANK_NOW();
        rank_log(r, &e);
    }
}

/* Updates the ledger and logs the event of an instruction, once its payload has
 * been written. */
RANK_FN void
rank_report(const struct rank_call *c, struct rank *r, const struct instr *in,
            int64_t begin, int64_t moved)
{
    struct event e;

    if (r->slice == 0)
        for (int k = 0; k < in->nslots; k++)
            rank_ledger(c, r->index, in, k);
    if (in->op == INSTR_APPLY)
        return;
    e = rank_event(r, in, begin);
    if (r->slice == 0)
        e.content = rank_contents(c, r, in, in->dst_slot, in->nslots);
    if (in->peer != r->index)
        e.bytes = moved * c->element;
    e.end_ns = RANK_NOW();
    rank_log(r, &e);
}

/* An instruction and its first slot's piece, which a rank has loaded before it
 * waits, so that its first access afterwards is to the payload. */
struct rank_next {
    const struct instr *at;
    struct instr in; /* *at */
    struct rank_piece piece;
};

RANK_FN struct rank_next
rank_load(const struct rank_call *c, const struct rank *r,
          const struct instr *at)
{
    struct rank_next next = {.at = at, .in = *at};

    if (next.in.nslots > 0) /* END has none */
        next.piece = rank_piece(c, r, &c->moves[next.in.first_slot]);
    return next;
}

RANK_FN void
rank_execute(const struct rank_call *c, struct rank *r,
             const struct rank_next *next, bool watched)
{
    bool logs = watched && r->block == 0 && RANK_LEADER;
    const struct instr *in = &next->in;
    int64_t moved = 0, begin = 0;

    if (in->op == INSTR_END) {
        rank_finish(c, r, in, logs);
        return;
    }
    if (logs)
        begin = RANK_NOW();
    for (int k = 0; k < in->nslots; k++) {
        struct rank_piece p =
            k == 0 ? next->piece
                   : rank_piece(c, r, &c->moves[in->first_slot + k]);

        moved += rank_payload(c, in, &p, watched);
    }
    RANK_SYNC();
    if (logs)
        rank_report(c, r, next->at, begin, moved);
}

/* Publishes that instruction number `done` is finished, and its event.  Both
 * share one release, which takes as long as the farthest memory. */
RANK_FN void
rank_publish(const struct rank_call *c, const struct rank *r, uint64_t done,
             bool watched)
{
    bool logs = watched && r->block == 0;

    (void)c; /* RANK_RELEASE may need it */
    RANK_RELEASE(c, logs);
    RANK_STORE(&(RANK_COUNTERS(c, r->index) + r->block)->done, done);
    if (logs)
        RANK_STORE(r->log->published, r->log->nevents);
}

RANK_FN bool
rank_longer(int64_t a, int64_t b)
{
    return b != DELAY_FOREVER && (a == DELAY_FOREVER || a > b);
}

/* Whether the delays of this instruction are over: the rank's own, and that of
 * the peer it pulls from, since a slow peer would send late.  A delay starts
 * when the rank reaches the step.  Sets *blocker to the peer if its delay is
 * the longer one. */
RANK_FN bool
rank_awake(const struct rank_call *c, struct rank *r, const struct instr *in,
           int *blocker)
{
    int64_t delay;

    if (!c->delays || in->op == INSTR_END)
        return true;
    if (r->delayed_step != in->step) {
        r->delayed_step = in->step;
        r->step_since_ns = RANK_NOW();
    }
    delay = c->delays[r->index];
    if (in->op != INSTR_APPLY && rank_longer(c->delays[in->peer], delay)) {
        delay = c->delays[in->peer];
        *blocker = in->peer;
    }
    return delay == 0 ||
           (delay != DELAY_FOREVER && RANK_NOW() >= r->step_since_ns + delay);
}

/* Notes which rank this one waits for, and since when.  Its own delay is not
 * noted. */
RANK_FN void
rank_wait(const struct rank_call *c, struct rank *r, int blocker)
{
    (void)c; /* RANK_NOW() may need it */
    if (r->waiting_for >= 0 || blocker < 0)
        return;
    r->waiting_for = blocker;
    r->waiting_since = RANK_NOW();
}

/* Runs the rank until it would wait, or through its granted range. */
RANK_FN enum rank_state
rank_advance(const struct rank_call *c, struct rank *rank, const bool watched)
{
    struct rank r = *rank; /* in registers: nothing else can change it */
    const struct instr *list = c->instrs + c->first[r.index];
    const struct rank_counter *own = RANK_COUNTERS(c, r.index) + r.block;
    uint64_t before = own->origin + (uint64_t)r.slice * own->length;
    enum rank_state state = RANK_WAITS;
    /* The leader writes the events, which say what the rank has waited for. */
    bool waits = watched && r.block == 0 ? RANK_LEADER : RANK_SCOUT;

    for (;;) {
        for (; r.at < r.end; r.at++) {
            struct rank_next next = rank_load(c, &r, &list[r.at]);
            int blocker = -1;

            if ((watched && !RANK_UNIFORM(waits, rank_awake(c, &r, &next.in,
                                                            &blocker))) ||
                !RANK_UNIFORM(waits, rank_ready(c, &r, &next.in, &blocker))) {
                if (watched)
                    rank_wait(c, &r, blocker);
                goto out;
            }
            rank_execute(c, &r, &next, watched);
            if (watched)
                r.waiting_for = -1;
            if (RANK_LEADER)
                rank_publish(c, &r, before + r.at + 1, watched);
        }
        if (r.slice + 1 >= c->nslices)
            break;
        r.slice++;
        r.at = r.begin;
        before += own->length;
    }
    state = RANK_DONE;
out:
    *rank = r;
    return state;
}

#endif
