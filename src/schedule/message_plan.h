/* SPDX-License-Identifier: MIT */
/* A schedule as messages: what each rank sends and receives in each step, and
 * what it then makes of what came.
 *
 * A rank goes through its steps one after the other. A step is
 *
 *     1. one group of messages, all at once      (nccl_exchange.h)
 *     2. its works, in their order               (a kernel each)
 *
 * Between two ranks the messages of one and the other stand in the same order,
 * and both in the same step: so first in, first out matches them, and a group
 * waits for nothing but the same step of its peers.
 *
 * A message is one slot. In a group slots are read and written in any order.
 * So nothing is received into a slot that the step reads (program.h stages
 * it), nor what is to be added: that lands in a slot of its own first. Of a
 * rank on its own,
 *
 *     slots 0 ..          the schedule's
 *           s->nslots ..  staging
 *           p->nslots ..  landing, which a step's reductions come to
 *
 * Example: two ranks add each other's slot 0 (recursive doubling), as rank 0
 * has it; slot 1 stages and slot 2 is for landing.
 *
 *     group    send 0 to rank 1, receive 2 from rank 1
 *     works    1 = 0 + 2
 *              tell 1
 *              0 = 1
 *
 * In a watched run every slot has a ledger row beside it, and everything here
 * is said of rows as well: a message is followed by one with its row, a COPY
 * or COMBINE is done to both. The others leave rows as they are. A slot
 * without elements then still has its row to send; else it is left out, on
 * both sides alike.
 *
 * Faults are in the plan, as works: what is lost lands, and stays there. */
#ifndef SCHEDULE_MESSAGE_PLAN_H
#define SCHEDULE_MESSAGE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedule/program.h"

struct message {
    int32_t peer;
    int32_t slot;   /* own: what is sent, or where it lands */
    int64_t length; /* elements; the same on both sides; may be 0 */
};

enum work_op {
    WORK_COPY,    /* to = from */
    WORK_COMBINE, /* to = add + from; to may be add */
    WORK_SPOIL,   /* a corrupted message: the first element of to */
    WORK_DIVIDE,  /* avg: to = to / ranks */
    WORK_REPORT,    /* a watched run: what is in `to` now, behind each transfer
                   * and division, slot by slot in the program's order */
};

struct work {
    enum work_op op;
    int32_t to, add, from; /* own slots */
    int64_t length;        /* elements; may be 0 */
};

/* What a rank does in a step. */
struct message_step {
    const struct message *sends, *receives;
    const struct work *works;
    size_t nsends, nreceives, nworks;
};

struct message_plan;

/* Of the schedule `s`, which must be valid, and its program, with faults if
 * there are any. `count` is elements of each rank's input. `divide`: avg. */
struct message_plan *message_plan_new(const struct schedule *s,
                                const struct program *p, int64_t count,
                                bool divide);
void message_plan_free(struct message_plan *plan);

/* Step 1 .. nsteps; nsteps + 1 is the division, after which a run is over. */
struct message_step message_plan_step(const struct message_plan *plan, int rank,
                                int step);

/* Slots of a rank, and elements that one of them needs room for. */
int message_plan_slots(const struct message_plan *plan);
int64_t message_plan_room(const struct message_plan *plan, int rank, int slot);

#endif
