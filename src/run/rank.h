/* SPDX-License-Identifier: MIT */
/* The rank machine: advances one rank through its program until it would have
 * to wait.  One source for every kind of rank that pulls from its peers'
 * memory: cc compiles it for threads, nvcc as the body of a kernel.
 *
 * A rank publishes how many instructions it has finished, with release; who
 * waits for it loads that with acquire.  Counters are never reset: instruction
 * i of slice s has the number origin + s * length + i + 1, where origin is the
 * counter before the call.
 *
 * Large messages run the whole program over successive slices of each chunk,
 * so that ranks pipeline and caches stay warm.  Slices touch different
 * elements and need no order between them.  A partial range of steps runs one
 * slice.
 *
 * A rank may be several blocks (a GPU's thread blocks).  Each owns a stripe of
 * every slot and waits for the same block of other ranks.  Block 0 keeps
 * ledger and events.  On a GPU all threads of a block call rank_advance, each
 * with a struct rank of its own; they stay alike but for what only the leader
 * needs (waiting, delays, the log).
 *
 * The includer defines before including:
 *     RANK_FN                      "static inline", with its qualifiers
 *     RANK_RARE                    the same for what is better not inlined
 *     RANK_LOAD(p), RANK_STORE(p, value)    acquire and release, uint64_t
 *     RANK_UNIFORM(condition)      the leader's answer, for the whole block
 *     RANK_SYNC()                  a barrier of the block
 *     RANK_LEADER                  true in one thread of the block
 *     RANK_NOW()                   nanoseconds since the begin of the run
 *     RANK_MOVE(c, to, from, n)            to[i] = from[i]
 *     RANK_COMBINE(c, to, add, from, n)    to[i] = add[i] + from[i]
 *     RANK_DIVIDE(c, to, n)                to[i] = to[i] / nranks
 *     RANK_CORRUPT(c, to)                  spoils to[0] so that it shows
 * with elements of the run's type and `+` its operator. */
#ifndef RUN_RANK_H
#define RUN_RANK_H

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

/* A block's stripe of a slice of n elements, from *from on.  Where stripes
 * begin does not depend on n: a slot may hold now a longer chunk and now a
 * shorter one, and blocks wait for their own stripe's readers only. */
RANK_FN int64_t
rank_stripe(const struct rank_call *c, int block, int64_t n, int64_t *from)
{
    int64_t grain = RANK_STRIPE / c->element, begin;

    if (c->nblocks == 1)
        return n;
    begin = c->stripe * block + grain * rank_least(block, c->longer_stripes);
    *from += begin;
    return rank_least(n - begin,
                      c->stripe + (block < c->longer_stripes ? grain : 0));
}

/* Whether the ranks that instruction waits for have come far enough; if not,
 * *blocker is one that has not. */
RANK_FN bool
rank_ready(const struct rank_call *c, const struct rank *r,
           const struct instr *in, int *blocker)
{
    const struct wait *w = c->waits + in->first_wait;

    for (int left = in->nwaits; left > 0; left--, w++) {
        struct rank_counter *other =
            &c->counters[w->rank * c->nblocks + r->block];
        uint64_t target = other->origin +
                          (uint64_t)r->slice * other->length + w->count;
        if (RANK_LOAD(&other->done) >= target)
            continue;
        if (in->op == INSTR_END && r->slice + 1 < c->nslices)
            return true; /* only the last slice lets go of the slots */
        *blocker = w->rank;
        return false;
    }
    return true;
}

/* The payload of one slot: this block's stripe of this slice. Returns the
 * elements of the slice that came, to all blocks. */
RANK_FN int64_t
rank_payload(const struct rank_call *c, const struct rank *r,
             const struct instr *in, int k, bool watched)
{
    const struct rank_move *m = c->moves + in->first_slot + k;
    int64_t from, whole = rank_slice(c, r->slice, m->length, &from);
    int64_t n = rank_stripe(c, r->block, whole, &from);
    size_t at = (size_t)from * (size_t)c->element;

    if (whole <= 0)
        return 0;
    if (watched && in->fault == FAULT_DROP) {
        if (n > 0 && m->add != m->dst)
            RANK_MOVE(c, m->dst + at, m->add + at, n);
        return 0;
    }
    if (n <= 0)
        return whole;
    if (in->op == INSTR_REDUCE) {
        RANK_COMBINE(c, m->dst + at, m->add + at, m->src + at, n);
        if (watched && in->fault == FAULT_REPEAT)
            RANK_COMBINE(c, m->dst + at, m->dst + at, m->src + at, n);
    } else {
        RANK_MOVE(c, m->dst + at, m->src + at, n);
    }
    if (watched && in->fault == FAULT_CORRUPT && from == 0)
        RANK_CORRUPT(c, m->dst);
    return whole;
}

/* The ledger row of one slot: what rank_payload did, done to whose data. */
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

/* Copies what a slot holds: row, length, first values. */
RANK_RARE void
rank_content(const struct rank_call *c, int rank, int slot, int64_t length,
             uint64_t *content)
{
    int words = ledger_words(c->nranks);
    const struct rank_slot *s = c->slots + (size_t)rank * c->nslots + slot;
    int64_t shown;

    ledger_copy(content, rank_row(c, rank, slot), c->nranks);
    length = rank_least(length, s->length);
    shown = rank_least(length, EVENT_VALUES);
    content[words] = (uint64_t)length;
    for (int i = 0; i < EVENT_VALUES; i++)
        content[words + 1 + i] = 0;
    for (int64_t i = 0; i < shown; i++)
        for (int b = 0; b < c->element; b++)
            ((unsigned char *)(content + words + 1 + i))[b] =
                s->data[i * c->element + b];
}

RANK_FN struct event *
rank_open_event(struct rank *r)
{
    return r->log->events + r->log->nevents;
}

RANK_FN void
rank_publish(struct rank *r, int64_t now)
{
    struct rank_log *log = r->log;

    log->events[log->nevents++].end_ns = now;
    RANK_STORE(log->published, log->nevents);
}

RANK_FN void
rank_begin_event(struct rank *r, const struct instr *in, int64_t now)
{
    struct event *e = rank_open_event(r);

    e->step = in->step;
    e->slice = r->slice;
    e->src = in->peer;
    e->dst = r->index;
    e->src_slot = in->src_slot;
    e->dst_slot = in->final_slot;
    e->nslots = in->nslots;
    e->op = in->op == INSTR_REDUCE ? EVENT_REDUCE : EVENT_COPY;
    e->fault = in->fault;
    e->bytes = 0;
    e->begin_ns = now;
    e->waited_for = r->waiting_for;
    e->wait_ns = r->waiting_for < 0 ? 0 : now - r->waiting_since;
    e->content = 0;
}

/* What the slots from `slot` on hold now, into the open event. */
RANK_FN void
rank_add_contents(const struct rank_call *c, struct rank *r,
                  const struct instr *in, int slot, int nslots)
{
    int words = content_words(c->nranks);
    uint64_t *content = r->log->contents + r->log->ncontents * (size_t)words;

    rank_open_event(r)->content = content;
    r->log->ncontents += (uint64_t)nslots;
    for (int k = 0; k < nslots; k++, content += words)
        rank_content(c, r->index, slot + k,
                     in->op == INSTR_END ? INT64_MAX
                                         : c->moves[in->first_slot + k].length,
                     content);
}

/* Divides what this block has written of the rank's output, slice by slice. */
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

/* avg: every holder of an output divides it, once nobody reads it any more. */
RANK_FN void
rank_finish(const struct rank_call *c, struct rank *r, const struct instr *in,
            bool logs)
{
    struct region out = c->outputs[r->index];

    if (!c->divide || out.count == 0 || r->slice + 1 < c->nslices)
        return;
    if (logs)
        rank_begin_event(r, in, RANK_NOW());
    rank_divide(c, r);
    RANK_SYNC();
    if (logs) {
        struct event *e = rank_open_event(r);

        e->op = EVENT_DIVIDE;
        e->slice = 0;
        e->dst_slot = e->src_slot = out.first;
        e->nslots = out.count;
        rank_add_contents(c, r, in, out.first, out.count);
        rank_publish(r, RANK_NOW());
    }
}

RANK_FN void
rank_execute(const struct rank_call *c, struct rank *r, const struct instr *in,
             bool watched)
{
    bool logs = watched && r->block == 0 && RANK_LEADER;
    int64_t moved = 0;

    if (in->op == INSTR_END) {
        rank_finish(c, r, in, logs);
        return;
    }
    if (logs && in->op != INSTR_APPLY)
        rank_begin_event(r, in, RANK_NOW());
    for (int k = 0; k < in->nslots; k++)
        moved += rank_payload(c, r, in, k, watched);
    RANK_SYNC();
    if (!logs)
        return;
    if (r->slice == 0)
        for (int k = 0; k < in->nslots; k++)
            rank_ledger(c, r->index, in, k);
    if (in->op == INSTR_APPLY)
        return;
    if (r->slice == 0)
        rank_add_contents(c, r, in, in->dst_slot, in->nslots);
    if (in->peer != r->index)
        rank_open_event(r)->bytes = moved * c->element;
    rank_publish(r, RANK_NOW());
}

RANK_FN bool
rank_longer(int64_t a, int64_t b)
{
    return b != DELAY_FOREVER && (a == DELAY_FOREVER || a > b);
}

/* Whether nobody is late for this instruction any more: neither the rank nor
 * the peer it pulls from, which in truth would send later.  Delays count from
 * when the rank comes to the step.  *blocker is a peer that is late. */
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

/* Notes since when it waits, and for whom; for nobody is not noted. */
RANK_FN void
rank_wait(const struct rank_call *c, struct rank *r, int blocker)
{
    (void)c; /* what RANK_NOW() may need */
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
    struct rank_counter *own = &c->counters[r.index * c->nblocks + r.block];
    uint64_t before = own->origin + (uint64_t)r.slice * own->length;
    enum rank_state state = RANK_WAITS;

    for (;;) {
        for (; r.at < r.end; r.at++) {
            const struct instr *in = &list[r.at];
            int blocker = -1;

            if ((watched && !RANK_UNIFORM(rank_awake(c, &r, in, &blocker))) ||
                !RANK_UNIFORM(rank_ready(c, &r, in, &blocker))) {
                if (watched)
                    rank_wait(c, &r, blocker);
                goto out;
            }
            rank_execute(c, &r, in, watched);
            if (watched)
                r.waiting_for = -1;
            if (RANK_LEADER)
                RANK_STORE(&own->done, before + r.at + 1);
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
