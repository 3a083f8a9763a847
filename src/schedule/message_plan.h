/* SPDX-License-Identifier: MIT */
/* A schedule as messages: what each rank sends and receives in each step, and
 * what it then does with the data.
 *
 * A rank goes through its steps one after the other. A step is
 *
 *     1. one group of messages, all at once      (a carrier)
 *     2. its works, in order                     (a kernel each)
 *
 * Between two ranks the sends of one and the receives of the other are in the
 * same order and in the same step.  So they match first in, first out, and a
 * group waits only for the same step of its peers.
 *
 * A message is one slot.  Within a group slots are read and written in any
 * order.  Therefore nothing is received into a slot that the step reads
 * (program.h stages it), and data to be added is first received into a landing
 * slot.  A rank's slots are
 *
 *     slots 0 ..          the schedule's
 *           s->nslots ..  staging
 *           p->nslots ..  landing, for a step's reductions
 *
 * Example: two ranks add each other's slot 0 (recursive doubling). Rank 0's
 * plan, with slot 1 for staging and slot 2 for landing:
 *
 *     group    send 0 to rank 1, receive 2 from rank 1
 *     works    1 = 0 + 2
 *              report 1
 *              0 = 1
 *
 * In a watched run every slot has a ledger row, which moves with it: a message
 * is followed by one with its row, and COPY and COMBINE act on both.  The other
 * works leave rows as they are.  A message of no elements is left out on both
 * sides, except for its row.
 *
 * Faults are works of the plan: lost data is received into a landing slot and
 * stays there. */
#ifndef SCHEDULE_MESSAGE_PLAN_H
#define SCHEDULE_MESSAGE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schedule/program.h"

struct message {
    int32_t peer;
    int32_t slot;   /* own: the slot sent, or received into */
    int64_t length; /* elements; the same on both sides; may be 0 */
};

enum work_op {
    WORK_COPY,    /* to = from */
    WORK_COMBINE, /* to = add + from; to may be add */
    WORK_SPOIL,   /* a corrupted message: the first element of to */
    WORK_DIVIDE,  /* avg: to = to / ranks */
    WORK_REPORT, /* a watched run: reports what is in `to`, after each transfer
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

/* The plan of a valid schedule and its program, with its faults.  Each rank's
 * input has `count` elements; `divide` is for avg.  The caller frees it. */
struct message_plan *message_plan_new(const struct schedule *s,
                                      const struct program *p, int64_t count,
                                      bool divide);
void message_plan_free(struct message_plan *plan);

/* Step 1 .. nsteps, or nsteps + 1: the division, which ends a run. */
struct message_step message_plan_step(const struct message_plan *plan,
                                      int rank, int step);

/* The steps before the division. */
int message_plan_steps(const struct message_plan *plan);

/* The slots of a rank, and the elements that one of them must hold. */
int message_plan_slots(const struct message_plan *plan);
int64_t message_plan_room(const struct message_plan *plan, int rank, int slot);

#endif
