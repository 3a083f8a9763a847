/* SPDX-License-Identifier: MIT */
#include "schedule/message_plan.h"

#include <stdlib.h>

#include "base/mem.h"

struct messages {
    struct message *items;
    size_t count, capacity;
};

/* Where a step of a rank begins in the lists; it ends where the next one
 * begins. */
struct mark {
    size_t send, receive, work;
};

struct message_plan {
    int nranks, nsteps;
    int nslots;       /* of a rank, landing slots included */
    int first_landing;
    int64_t *room;    /* [rank * first_landing + slot] */
    int64_t *lengths; /* elements, by chunk */
    struct messages sends, receives;
    struct work *works;
    size_t nworks, works_capacity;
    struct mark *marks; /* [rank * (nsteps + 1) + step - 1], and the end */
};

static int64_t
least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void
add_message(struct messages *list, struct message message)
{
    list->items = mem_grow(list->items, list->count, &list->capacity,
                           sizeof *list->items);
    list->items[list->count++] = message;
}

static void
add_work(struct message_plan *plan, struct work work)
{
    plan->works = mem_grow(plan->works, plan->nworks, &plan->works_capacity,
                           sizeof *plan->works);
    plan->works[plan->nworks++] = work;
}

/* Elements that are sent from a slot. Both sides must compute the same number,
 * so the room at the destination does not matter. */
static int64_t
length_sent(const struct message_plan *plan, int chunk, int rank, int slot)
{
    return least(plan->lengths[chunk], message_plan_room(plan, rank, slot));
}

static void
add_sends(struct message_plan *plan, int rank, const struct send *send)
{
    for (int k = 0; k < send->nslots; k++)
        add_message(&plan->sends,
                    (struct message){
                        send->peer, send->src_slot + k,
                        length_sent(plan, send_chunk(send, k), rank,
                                    send->src_slot + k)});
}

/* What an instruction does to a slot, faults included: the same as
 * rank_payload() and rank_ledger() in run/rank.h. */
static void
add_works(struct message_plan *plan, struct work work,
          enum instr_fault fault)
{
    struct work again = work;

    if (fault == FAULT_DROP) {
        work.op = WORK_COPY;
        work.from = work.add;
        if (work.from != work.to)
            add_work(plan, work);
        return;
    }
    add_work(plan, work);
    again.add = work.to;
    if (fault == FAULT_CORRUPT)
        again.op = WORK_SPOIL;
    if (fault == FAULT_CORRUPT ||
        (fault == FAULT_REPEAT && work.op == WORK_COMBINE))
        add_work(plan, again);
}

/* Adds what a rank does for a slot of an instruction: a message, works or both.
 * `landed` counts the landing slots that the step has used. Returns how many
 * elements the slot receives. */
static int64_t
add_slot(struct message_plan *plan, int rank, const struct instr *in, int k,
         int *landed)
{
    struct work work = {
        .op = in->op == INSTR_REDUCE ? WORK_COMBINE : WORK_COPY,
        .to = in->dst_slot + k,
        .add = in->add_slot + k,
        .from = in->src_slot + k,
        .length = length_sent(plan, instr_chunk(in, k), in->peer,
                              in->src_slot + k),
    };
    int64_t room = least(message_plan_room(plan, rank, work.to),
                         message_plan_room(plan, rank, work.add));

    if (in->peer != rank) {
        /* A right schedule never meets a slot that is too short; a wrong one
         * must not write outside. */
        bool direct = work.op == WORK_COPY && in->fault == FAULT_NONE &&
                      work.length <= room;
        work.from = direct ? work.to : plan->first_landing + (*landed)++;
        add_message(&plan->receives,
                    (struct message){in->peer, work.from, work.length});
        if (direct)
            return work.length;
    }
    work.length = least(work.length, room);
    add_works(plan, work, in->fault);
    return work.length;
}

static void
add_report(struct message_plan *plan, int slot, int64_t length)
{
    add_work(plan, (struct work){WORK_REPORT, slot, slot, slot, length});
}

/* An instruction is reported after all of its slots: one slot may be what the
 * next one adds to. */
static void
add_instr(struct message_plan *plan, int rank, const struct instr *in,
          int *landed)
{
    int64_t *lengths = mem_new((size_t)in->nslots, sizeof *lengths);

    for (int k = 0; k < in->nslots; k++)
        lengths[k] = add_slot(plan, rank, in, k, landed);
    for (int k = 0; in->op != INSTR_APPLY && k < in->nslots; k++)
        add_report(plan, in->dst_slot + k, lengths[k]);
    free(lengths);
}

static void
mark(struct message_plan *plan, int rank, int step)
{
    plan->marks[(size_t)rank * (size_t)(plan->nsteps + 1) + (size_t)step - 1] =
        (struct mark){plan->sends.count, plan->receives.count, plan->nworks};
}

static void
add_rank(struct message_plan *plan, const struct program *p, int rank)
{
    const struct send *send = p->sends + p->first_send[rank];
    const struct send *last_send = p->sends + p->first_send[rank + 1];
    const struct instr *in = p->instrs + p->first[rank];

    for (int step = 1; step <= plan->nsteps; step++) {
        int landed = 0;

        mark(plan, rank, step);
        for (; send < last_send && send->step == step; send++)
            add_sends(plan, rank, send);
        for (; in->step == step; in++) /* END is of the step after the last */
            add_instr(plan, rank, in, &landed);
        if (plan->first_landing + landed > plan->nslots)
            plan->nslots = plan->first_landing + landed;
    }
    mark(plan, rank, plan->nsteps + 1);
}

/* avg: every holder of an output divides it, once nobody reads it any more. */
static void
add_division(struct message_plan *plan, const struct schedule *s, int rank)
{
    struct region out = schedule_output(s, rank);

    for (int slot = out.first; slot < out.first + out.count; slot++)
        add_work(plan, (struct work){
                           WORK_DIVIDE, slot, slot, slot,
                           message_plan_room(plan, rank, slot)});
    for (int slot = out.first; slot < out.first + out.count; slot++)
        add_report(plan, slot, message_plan_room(plan, rank, slot));
}

static void
make_room(struct message_plan *plan, const struct schedule *s, int64_t count)
{
    plan->lengths = schedule_chunk_lengths(s, count);
    plan->room = mem_new((size_t)s->nranks * (size_t)plan->first_landing,
                         sizeof *plan->room);
    for (int rank = 0; rank < s->nranks; rank++)
        for (int slot = 0; slot < plan->first_landing; slot++)
            plan->room[(size_t)rank * (size_t)plan->first_landing +
                       (size_t)slot] =
                plan->lengths[schedule_slot_room(s, rank, slot)];
}

struct message_plan *
message_plan_new(const struct schedule *s, const struct program *p,
                 int64_t count, bool divide)
{
    struct message_plan *plan = mem_new(1, sizeof *plan);

    plan->nranks = s->nranks;
    plan->nsteps = s->nsteps;
    plan->nslots = plan->first_landing = p->nslots;
    plan->marks = mem_new((size_t)s->nranks * (size_t)(s->nsteps + 1) + 1,
                          sizeof *plan->marks);
    plan->sends.items = mem_new(0, sizeof *plan->sends.items);
    plan->receives.items = mem_new(0, sizeof *plan->receives.items);
    plan->works = mem_new(0, sizeof *plan->works);
    make_room(plan, s, count);
    for (int rank = 0; rank < s->nranks; rank++) {
        add_rank(plan, p, rank);
        if (divide)
            add_division(plan, s, rank);
    }
    mark(plan, s->nranks, 1);
    return plan;
}

void
message_plan_free(struct message_plan *plan)
{
    if (plan == NULL)
        return;
    free(plan->lengths);
    free(plan->room);
    free(plan->sends.items);
    free(plan->receives.items);
    free(plan->works);
    free(plan->marks);
    free(plan);
}

struct message_step
message_plan_step(const struct message_plan *plan, int rank, int step)
{
    const struct mark *from =
        &plan->marks[(size_t)rank * (size_t)(plan->nsteps + 1) +
                     (size_t)step - 1];
    const struct mark *to = from + 1;

    return (struct message_step){
        .sends = plan->sends.items + from->send,
        .receives = plan->receives.items + from->receive,
        .works = plan->works + from->work,
        .nsends = to->send - from->send,
        .nreceives = to->receive - from->receive,
        .nworks = to->work - from->work,
    };
}

int
message_plan_steps(const struct message_plan *plan)
{
    return plan->nsteps;
}

int
message_plan_slots(const struct message_plan *plan)
{
    return plan->nslots;
}

int64_t
message_plan_room(const struct message_plan *plan, int rank, int slot)
{
    if (slot >= plan->first_landing)
        return plan->lengths[0];
    return plan->room[(size_t)rank * (size_t)plan->first_landing +
                      (size_t)slot];
}
