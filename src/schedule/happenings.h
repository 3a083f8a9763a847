/* SPDX-License-Identifier: MIT */
/* What will happen in a simulation, soonest first: a heap.  Of what happens at
 * the same time, what was added first comes first. */
#ifndef SCHEDULE_HAPPENINGS_H
#define SCHEDULE_HAPPENINGS_H

#include <stddef.h>
#include <stdint.h>

struct happening {
    double at;
    uint64_t number; /* by happenings_add() */
    size_t instr;
    int32_t rank;
    enum {
        SENT,     /* a message has arrived; its sender's port is free */
        FINISHED, /* an instruction is over */
        AWAKE     /* the delay of a rank's next instruction is over */
    } kind;
};

struct happenings {
    struct happening *heap;
    size_t count, capacity;
    uint64_t added;
};

void happenings_done(struct happenings *all);

void happenings_add(struct happenings *all, struct happening h);

/* Takes the soonest; there must be one.  all->heap[0] is it, too. */
struct happening happenings_take(struct happenings *all);

#endif
