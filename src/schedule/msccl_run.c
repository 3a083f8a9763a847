/* SPDX-License-Identifier: MIT */
/* Runs thread blocks in rounds, on nothing but slots: what moves in a round is
 * a step of the schedule.
 *
 * A step that receives and sends on takes two rounds.  A message whose receiver
 * waits for it already goes straight to where it belongs; another one goes into
 * a place in the receiver's scratch, behind the program's own, until it is
 * asked for. */
#include "schedule/msccl.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

enum { WORK_MAX = 1 << 28 }; /* looks at blocks: about a second's worth */

struct message {
    int slot, count; /* in the receiver's scratch */
    size_t next;     /* index + 1 in the pool; 0: the last one */
};

/* Of a block's link to the rank that it sends to. */
struct link {
    int receiver;        /* block; -1: nobody receives there */
    size_t first, last;  /* index + 1 in the pool; 0: no message waits */
    int waiting;
};

struct state {
    int step;      /* its next one */
    bool received; /* the first half of it is done */
    int held;      /* the slot that the second half sends */
    bool ready;    /* this round: nothing to wait for in its own rank */
    bool acted;    /* in this round */
};

/* Slots of a rank's scratch that hold messages. */
struct places {
    bool *used;
    size_t count, capacity;
};

struct runner {
    const struct msccl *m;
    int depth; /* messages that a link holds; 0: any number */
    int round;
    struct schedule *layout; /* without steps: where buffers are */
    int own_scratch; /* where the program's begins */
    int *sender;     /* by block: the block that sends to it, or -1 */
    struct link *links; /* by block that sends */
    struct state *states;
    struct message *messages; /* the pool */
    size_t nmessages, messages_capacity;
    struct places *places; /* by rank */
    struct transfer *transfers;
    int *rounds; /* by transfer */
    size_t ntransfers, transfers_capacity, rounds_capacity;
    int64_t slots_moved;
    int64_t work;
};

static const struct msccl_step *
step_of(const struct runner *r, int block)
{
    return &r->m->steps[r->m->blocks[block].first +
                        (size_t)r->states[block].step];
}

/* "rank 2, thread block 1, step 3 (rrc)" before the message. */
static bool
blame(const struct runner *r, int block, struct err *err)
{
    const struct msccl_block *b = &r->m->blocks[block];

    return err_prefix(err, "rank %d, thread block %d, step %d (%s)", b->rank,
                      b->id, r->states[block].step,
                      msccl_type_name(step_of(r, block)->type));
}

/* Chunks that a unit is cut into, as the buffers' sizes have it; 0: they have
 * it in no way. */
static int
pieces_of(const struct msccl *m)
{
    int in = collective_units(m->collective->input, m->nranks);
    int out = collective_units(m->collective->output, m->nranks);
    int pieces = m->input > 0 ? m->input / in : m->output / out;

    if ((m->input > 0 && m->input != pieces * in) ||
        (m->output > 0 && m->output != pieces * out))
        return 0;
    return pieces;
}

static bool
find_slot(const struct runner *r, int rank, const struct msccl_place *place,
          int count, int *slot, struct err *err)
{
    static const char *const names[] = {"input", "output", "scratch"};
    const struct schedule *s = r->layout;
    struct region in = schedule_input(s, rank), out = schedule_output(s, rank);
    struct region of[] = {in, out, {r->own_scratch, r->m->scratch}};
    struct region region;

    of[MSCCL_INPUT].count = s->nchunks; /* room, where it has none */
    of[MSCCL_OUTPUT].count =
        s->pieces * collective_units(s->collective->output, s->nranks);
    region = of[place->buffer];
    if (place->offset + count > region.count)
        return err_set(err, "chunks %d to %d of the %s, which has %d",
                       place->offset, place->offset + count - 1,
                       names[place->buffer], region.count);
    *slot = region.first + place->offset;
    return true;
}

static int
take_places(struct runner *r, int rank, int count)
{
    struct places *p = &r->places[rank];
    size_t begin = 0;

    for (size_t at = 0; at < p->count && at - begin < (size_t)count; at++)
        if (p->used[at])
            begin = at + 1;
    while (p->count < begin + (size_t)count) {
        p->used = mem_grow(p->used, p->count, &p->capacity, sizeof *p->used);
        p->used[p->count++] = false;
    }
    r->work += (int64_t)p->count / 64;
    for (int i = 0; i < count; i++)
        p->used[begin + (size_t)i] = true;
    return r->own_scratch + r->m->scratch + (int)begin;
}

/* Does nothing for slots that are no places. */
static void
give_places_back(struct runner *r, int rank, int slot, int count)
{
    int first = slot - r->own_scratch - r->m->scratch;

    for (int i = 0; first >= 0 && i < count; i++)
        r->places[rank].used[first + i] = false;
}

static void
emit(struct runner *r, struct transfer t)
{
    r->transfers = mem_grow(r->transfers, r->ntransfers,
                            &r->transfers_capacity, sizeof *r->transfers);
    r->rounds = mem_grow(r->rounds, r->ntransfers, &r->rounds_capacity,
                         sizeof *r->rounds);
    r->rounds[r->ntransfers] = r->round;
    r->transfers[r->ntransfers++] = t;
    r->slots_moved += t.nslots;
}

static void
finish_step(struct runner *r, int block)
{
    r->states[block].step++;
    r->states[block].received = false;
}

/* Data that is in `src_slot` of `src` comes to a block that receives. */
static bool
receive(struct runner *r, int block, int src, int src_slot, int count,
        struct err *err)
{
    const struct msccl_block *b = &r->m->blocks[block];
    const struct msccl_step *s = step_of(r, block);
    struct state *state = &r->states[block];
    struct transfer t = {.src = src, .dst = b->rank, .src_slot = src_slot,
                         .nslots = count};
    bool reduces = s->type != MSCCL_RECEIVE && s->type != MSCCL_RECEIVE_SEND;

    if (count != s->count)
        return err_set(err, "it receives %d chunks, %d were sent", s->count,
                       count);
    if (s->type == MSCCL_REDUCE_SEND)
        t.dst_slot = take_places(r, b->rank, count);
    else if (!find_slot(r, b->rank, &s->dst, count, &t.dst_slot, err))
        return false;
    t.add_slot = t.dst_slot;
    if (reduces && !find_slot(r, b->rank, &s->src, count, &t.add_slot, err))
        return false;
    t.op = reduces ? TRANSFER_REDUCE : TRANSFER_COPY;
    emit(r, t);
    state->acted = true;
    state->held = t.dst_slot;
    if (msccl_sends(s->type))
        state->received = true;
    else
        finish_step(r, block);
    return true;
}

static bool
receive_waiting(struct runner *r, int block, struct err *err)
{
    struct link *link = &r->links[r->sender[block]];
    struct message message = r->messages[link->first - 1];
    int rank = r->m->blocks[block].rank;

    if (!receive(r, block, rank, message.slot, message.count, err))
        return false;
    link->first = message.next;
    link->waiting--;
    give_places_back(r, rank, message.slot, message.count);
    return true;
}

static void
put_aside(struct runner *r, struct link *link, int from, int slot, int count)
{
    int to = r->m->blocks[link->receiver].rank;
    struct message message = {take_places(r, to, count), count, 0};

    emit(r, (struct transfer){.src = from, .dst = to, .src_slot = slot,
                              .dst_slot = message.slot,
                              .add_slot = message.slot, .nslots = count,
                              .op = TRANSFER_COPY});
    r->messages = mem_grow(r->messages, r->nmessages, &r->messages_capacity,
                           sizeof *r->messages);
    r->messages[r->nmessages++] = message;
    if (link->first == 0)
        link->first = r->nmessages;
    else
        r->messages[link->last - 1].next = r->nmessages;
    link->last = r->nmessages;
    link->waiting++;
}

static bool
wants_message(const struct runner *r, int block)
{
    const struct state *state = &r->states[block];

    return state->ready && !state->acted && !state->received &&
           state->step < r->m->blocks[block].nsteps &&
           msccl_receives(step_of(r, block)->type);
}

static bool
is_sending(const struct runner *r, int block)
{
    enum msccl_type type = step_of(r, block)->type;

    return type == MSCCL_SEND || r->states[block].received;
}

/* True also where it has to wait. */
static bool
send(struct runner *r, int block, struct err *err)
{
    const struct msccl_block *b = &r->m->blocks[block];
    const struct msccl_step *s = step_of(r, block);
    struct state *state = &r->states[block];
    struct link *link = &r->links[block];
    int slot = state->held;

    if (!state->received &&
        !find_slot(r, b->rank, &s->src, s->count, &slot, err))
        return false;
    if (link->first == 0 && wants_message(r, link->receiver)) {
        if (!receive(r, link->receiver, b->rank, slot, s->count, err))
            return blame(r, link->receiver, err);
    } else if (r->depth == 0 || link->waiting < r->depth) {
        put_aside(r, link, b->rank, slot, s->count);
    } else {
        return true;
    }
    if (state->received)
        give_places_back(r, b->rank, slot, s->count);
    state->acted = true;
    finish_step(r, block);
    return true;
}

/* cpy, re and nop. */
static bool
act_alone(struct runner *r, int block, struct err *err)
{
    const struct msccl_block *b = &r->m->blocks[block];
    const struct msccl_step *s = step_of(r, block);
    struct transfer t = {.src = b->rank, .dst = b->rank, .nslots = s->count,
                         .op = s->type == MSCCL_COPY ? TRANSFER_COPY
                                                     : TRANSFER_REDUCE};

    r->states[block].acted = true;
    if (s->type != MSCCL_NOP) {
        if (!find_slot(r, b->rank, &s->src, s->count, &t.src_slot, err) ||
            !find_slot(r, b->rank, &s->dst, s->count, &t.dst_slot, err))
            return false;
        t.add_slot = t.dst_slot;
        emit(r, t);
    }
    finish_step(r, block);
    return true;
}

static bool
is_over(const struct runner *r, int block)
{
    return r->states[block].step == r->m->blocks[block].nsteps;
}

static bool
is_ready(const struct runner *r, int block)
{
    const struct msccl_step *s = step_of(r, block);
    int first = r->m->first_block[r->m->blocks[block].rank];

    return s->wait_block < 0 ||
           r->states[first + s->wait_block].step > s->wait_step;
}

/* What has waited is taken first, so that what is sent in this round is not
 * taken in the same. */
static bool
run_round(struct runner *r, const int *active, int nactive, bool *any,
          struct err *err)
{
    for (int i = 0; i < nactive; i++) {
        struct state *state = &r->states[active[i]];
        state->ready = is_ready(r, active[i]);
        state->acted = false;
    }
    for (int i = 0; i < nactive; i++) {
        int block = active[i];
        if (wants_message(r, block) &&
            r->links[r->sender[block]].first != 0 &&
            !receive_waiting(r, block, err))
            return blame(r, block, err);
    }
    for (int i = 0; i < nactive; i++) {
        int block = active[i];
        bool ok = true;
        if (!r->states[block].ready || r->states[block].acted)
            continue;
        if (is_sending(r, block))
            ok = send(r, block, err);
        else if (!msccl_receives(step_of(r, block)->type))
            ok = act_alone(r, block, err);
        if (!ok)
            return blame(r, block, err);
    }
    *any = false;
    for (int i = 0; i < nactive; i++)
        *any |= r->states[active[i]].acted;
    return true;
}

/* Blocks that only wait say why. */
static bool
blame_deadlock(const struct runner *r, int block, struct err *err)
{
    const struct msccl_block *b = &r->m->blocks[block];
    const struct msccl_step *s = step_of(r, block);

    if (!r->states[block].ready)
        err_set(err, "it waits for ever for step %d of thread block %d",
                s->wait_step, s->wait_block);
    else if (is_sending(r, block))
        err_set(err, "it waits for ever for room on the link to rank %d, "
                "channel %d", b->send, b->channel);
    else
        err_set(err, "it waits for ever for a message from rank %d on channel "
                "%d", b->receive, b->channel);
    return blame(r, block, err);
}

static bool
run_rounds(struct runner *r, int *active, struct err *err)
{
    int nactive = r->m->nblocks;
    bool any = true;

    for (r->round = 1; nactive > 0; r->round++) {
        int left = 0;
        for (int i = 0; i < nactive; i++)
            if (!is_over(r, active[i]))
                active[left++] = active[i];
        nactive = left;
        if (nactive == 0)
            break;
        if (!run_round(r, active, nactive, &any, err))
            return false;
        if (!any)
            return blame_deadlock(r, active[0], err);
        r->work += nactive;
        if (r->work > WORK_MAX || r->slots_moved > SCHEDULE_CELLS_MAX)
            return err_set(err, "it takes more rounds and chunks than collviz "
                           "follows");
    }
    for (int i = 0; i < r->m->nblocks; i++)
        if (r->links[i].first != 0)
            return err_set(err, "rank %d, thread block %d: what it sends to "
                           "rank %d on channel %d is never received",
                           r->m->blocks[i].rank, r->m->blocks[i].id,
                           r->m->blocks[i].send, r->m->blocks[i].channel);
    return true;
}

/* Ordered by link: sender, receiver, channel. */
struct end {
    int src, dst, channel, block;
    bool sends;
};

static int
by_link(const void *a, const void *b)
{
    const struct end *x = a, *y = b;

    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->dst != y->dst)
        return x->dst < y->dst ? -1 : 1;
    if (x->channel != y->channel)
        return x->channel < y->channel ? -1 : 1;
    return (int)y->sends - (int)x->sends;
}

static bool
same_link(const struct end *a, const struct end *b)
{
    return a->src == b->src && a->dst == b->dst && a->channel == b->channel;
}

/* Two blocks at the same end of a link would leave open whose message comes
 * first. */
static bool
join_links(struct runner *r, struct end *ends, int n, struct err *err)
{
    qsort(ends, (size_t)n, sizeof *ends, by_link);
    for (int i = 0; i < n; i++) {
        bool paired = i + 1 < n && same_link(&ends[i], &ends[i + 1]);
        if (paired && ends[i].sends == ends[i + 1].sends)
            return err_set(err, "two thread blocks, %d and %d, of rank %d %s "
                           "rank %d on channel %d",
                           r->m->blocks[ends[i].block].id,
                           r->m->blocks[ends[i + 1].block].id,
                           ends[i].sends ? ends[i].src : ends[i].dst,
                           ends[i].sends ? "send to" : "receive from",
                           ends[i].sends ? ends[i].dst : ends[i].src,
                           ends[i].channel);
        if (paired) {
            r->links[ends[i].block].receiver = ends[i + 1].block;
            r->sender[ends[i + 1].block] = ends[i].block;
        }
    }
    return true;
}

/* Blocks that send or receive need somebody at the other end. */
static bool
judge_links(const struct runner *r, struct err *err)
{
    for (int i = 0; i < r->m->nblocks; i++) {
        const struct msccl_block *b = &r->m->blocks[i];
        for (int k = 0; k < b->nsteps; k++) {
            enum msccl_type type = r->m->steps[b->first + (size_t)k].type;
            if (msccl_sends(type) && r->links[i].receiver < 0)
                return err_set(err, "rank %d, thread block %d, step %d (%s): "
                               "no thread block of rank %d receives from it "
                               "on channel %d", b->rank, b->id, k,
                               msccl_type_name(type), b->send, b->channel);
            if (msccl_receives(type) && r->sender[i] < 0)
                return err_set(err, "rank %d, thread block %d, step %d (%s) "
                               "waits for ever: no thread block of rank %d "
                               "sends to it on channel %d", b->rank, b->id, k,
                               msccl_type_name(type), b->receive, b->channel);
        }
    }
    return true;
}

static bool
make_links(struct runner *r, struct err *err)
{
    struct end *ends = mem_new(2 * (size_t)r->m->nblocks, sizeof *ends);
    int n = 0;
    bool ok;

    for (int i = 0; i < r->m->nblocks; i++) {
        const struct msccl_block *b = &r->m->blocks[i];
        r->links[i].receiver = r->sender[i] = -1;
        if (b->send >= 0)
            ends[n++] = (struct end){b->rank, b->send, b->channel, i, true};
        if (b->receive >= 0)
            ends[n++] =
                (struct end){b->receive, b->rank, b->channel, i, false};
    }
    ok = join_links(r, ends, n, err) && judge_links(r, err);
    free(ends);
    return ok;
}

static struct shape
shape_of(const struct msccl *m, bool in_place, int scratch)
{
    return (struct shape){
        .collective = m->collective, .algorithm = m->name,
        .nranks = m->nranks, .root = m->root, .pieces = pieces_of(m),
        .scratch = scratch, .in_place = in_place,
    };
}

static bool
runner_init(struct runner *r, const struct msccl *m, bool in_place, int depth,
            struct err *err)
{
    struct shape shape = shape_of(m, in_place, 0);
    size_t n = (size_t)m->nblocks;

    *r = (struct runner){.m = m, .depth = depth};
    if (shape.pieces == 0)
        return err_set(err, "i_chunks %d and o_chunks %d do not go together "
                       "for %s on %d ranks", m->input, m->output,
                       m->collective->name, m->nranks);
    if (!shape_check(&shape, err))
        return false;
    r->layout = schedule_new(&shape);
    r->own_scratch = r->layout->nslots;
    r->sender = mem_new(n, sizeof *r->sender);
    r->links = mem_new(n, sizeof *r->links);
    r->states = mem_new(n, sizeof *r->states);
    r->places = mem_new((size_t)m->nranks, sizeof *r->places);
    return make_links(r, err);
}

static void
runner_done(struct runner *r)
{
    for (int rank = 0; r->places != NULL && rank < r->m->nranks; rank++)
        free(r->places[rank].used);
    free(r->places);
    free(r->messages);
    free(r->states);
    free(r->links);
    free(r->sender);
    free(r->transfers);
    free(r->rounds);
    schedule_free(r->layout);
}

static bool
run(struct runner *r, const struct msccl *m, bool in_place, int depth,
    struct err *err)
{
    int *active = mem_new((size_t)m->nblocks, sizeof *active);
    bool ok;

    for (int i = 0; i < m->nblocks; i++)
        active[i] = i;
    ok = runner_init(r, m, in_place, depth, err) &&
         run_rounds(r, active, err);
    free(active);
    return ok;
}

static struct schedule *
schedule_of(const struct runner *r, struct err *err)
{
    size_t most = 0;
    struct shape shape;
    struct schedule *s;

    for (int rank = 0; rank < r->m->nranks; rank++)
        if (r->places[rank].count > most)
            most = r->places[rank].count;
    shape = shape_of(r->m, r->layout->in_place, r->m->scratch + (int)most);
    if (!shape_check(&shape, err))
        return NULL;
    s = schedule_new(&shape);
    for (size_t i = 0; i < r->ntransfers; i++) {
        if (i == 0 || r->rounds[i] != r->rounds[i - 1])
            schedule_step(s, N_("exchange"));
        schedule_add(s, r->transfers[i]);
    }
    if (schedule_valid(s, err))
        return s;
    schedule_free(s);
    return NULL;
}

struct schedule *
msccl_schedule(const struct msccl *m, bool out_of_place, struct err *err)
{
    struct schedule *s = NULL;
    struct runner r;

    if (out_of_place && !m->out_of_place) {
        err_set(err, "it is made for running in place: leave out "
                "--out-of-place");
        return NULL;
    }
    if (run(&r, m, m->in_place && !out_of_place, 0, err))
        s = schedule_of(&r, err);
    runner_done(&r);
    return s;
}

bool
msccl_one_deep(const struct msccl *m, struct err *err)
{
    struct runner r;
    bool ok = run(&r, m, m->in_place, 1, err);

    runner_done(&r);
    return ok;
}
