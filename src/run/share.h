/* SPDX-License-Identifier: MIT */
/* What a rank has to do in a run: its part of the message plan
 * (schedule/message_plan.h) and of the input, in one block of memory that can
 * be sent to it.
 *
 * Rank 0 lowers the schedule and deals out the shares, so that the other ranks
 * need memory and time only for what they do themselves.
 *
 * A block holds numbers as this machine writes them; all hosts must have the
 * same build (mpi_world.h). */
#ifndef RUN_SHARE_H
#define RUN_SHARE_H

#include "event/event.h"
#include "run/run_options.h"
#include "schedule/waits.h"

/* A step of this rank: how many of each, which follow those of the step
 * before. */
struct share_step {
    int32_t nsends, nreceives, nworks, nevents;
    bool takes_part; /* a delayed rank waits before such steps only */
};

/* The counts are set first, then share_lay() sets the pointers. */
struct share {
    int32_t rank, nranks;
    int32_t members;         /* the ranks that are no switches */
    int32_t nsteps;
    int32_t nslots;          /* landing slots included */
    int32_t nschedule_slots; /* the schedule's */
    struct input data;       /* this rank's alone */
    int64_t delay_ns;        /* before each of its steps, or DELAY_FOREVER */
    bool watched;
    bool mismatched; /* messages may not fit together (schedule/waits.h) */
    int64_t longest; /* then: elements of the longest message of any rank, for
                      * which every slot has room; else 0 */
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
    struct share_step *steps;  /* nsteps + 1: the last one is the division */
    struct message *sends, *receives;
    struct work *works;
    struct event *events;      /* what is known of them beforehand */
};

/* Sets the pointers to the places of their data in `block`, which begins with a
 * copy of the struct.  Returns the length of the block. */
size_t share_lay(struct share *s, unsigned char *block);

/* Deals out a run: sets shares[rank] for every rank, which the caller frees one
 * by one.  *waits is for a mismatched run, else NULL; the caller frees it. */
void share_out(const struct schedule *s, const struct run_options *o,
               struct share **shares, struct waits **waits);

/* The length of a share's block. */
size_t share_length(const struct share *s);

/* Takes over a block that has come. Returns NULL if it is no share. */
struct share *share_of(unsigned char *block, size_t length);

#endif
