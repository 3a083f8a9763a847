/* SPDX-License-Identifier: MIT */
/* What a rank that passes messages has to do in a run: what it sends and
 * receives in each step, what it then does with the data, and its input, in one
 * block of memory that can be sent to it.
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
 * share, with slot 1 for staging and slot 2 for landing:
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
 * Faults are works of the share: lost data is received into a landing slot and
 * stays there.
 *
 * Rank 0 lowers the schedule and deals out the shares, so that the other ranks
 * need memory and time only for what they do themselves.  A block holds numbers
 * as this machine writes them; all hosts must have the same build
 * (mpi_world.h). */
#ifndef RUN_SHARE_H
#define RUN_SHARE_H

#include "event/event.h"
#include "run/run_options.h"

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

/* A step of this rank: how many of each, which follow those of the step
 * before. */
struct share_step {
    int32_t nsends, nreceives, nworks, nevents;
    bool takes_part; /* a delayed rank waits before such steps only */
};

struct share {
    int32_t rank, nranks;
    int32_t members;         /* the ranks that are no switches */
    int32_t nsteps;
    int32_t nslots;          /* landing slots included */
    int32_t nschedule_slots; /* the schedule's */
    struct input data;       /* this rank's alone */
    int64_t delay_ns;        /* before each of its steps, or DELAY_FOREVER */
    bool watched;
    bool mismatched; /* messages may not fit together (run/waits.h) */
    int64_t longest; /* then: elements of the longest message of any rank, for
                      * which every slot has room; else 0 */
    bool uneven; /* ranks' units differ as s->counts say */
    bool native; /* MPI's own collective is run afterwards */
    struct timing timing;
    char collective[SCHEDULE_NAME_MAX];
    int32_t root;
    bool in_place;
    struct region input, output; /* slots */

    size_t nsends, nreceives, nworks, nevents;
    size_t ngiven; /* bytes of data.given */

    int64_t *rooms;            /* elements, by slot */
    int64_t *lengths;          /* of the chunks of its input */
    int64_t *units;            /* of each rank's unit of its input, all of it if
                                * it is not divided, then of its output; 2 for
                                * each rank */
    struct share_step *steps;  /* nsteps + 1: the last one is the division */
    struct message *sends, *receives;
    struct work *works;
    struct event *events;      /* what is known of them beforehand */
};

struct waits;

/* Deals out a run of a valid schedule: sets shares[rank] for every rank, which
 * the caller frees one by one.  *waits is for a mismatched run, else NULL; the
 * caller frees it. */
void share_out(const struct schedule *s, const struct run_options *o,
               struct share **shares, struct waits **waits);

/* Bytes of the rank's output. */
size_t share_output_bytes(const struct share *s);

/* The length of a share's block. */
size_t share_length(const struct share *s);

/* Takes over a block that has come. Returns NULL if it is no share. */
struct share *share_of(unsigned char *block, size_t length);

#endif
