/* SPDX-License-Identifier: MIT */
/* MSCCL's XML: schedules that others have published, as programs of thread
 * blocks (read by msccl-executor-nccl and RCCL, written by msccl-tools).
 *
 *     if (!msccl_read(&m, file, "ring.xml", &err)) ...
 *     s = msccl_schedule(m, false, &err);
 *     msccl_free(m);
 *
 * A thread block runs its steps one after the other, has at most one rank that
 * it sends to and one that it receives from, on one channel, and may wait for
 * steps of other blocks of its rank.
 *
 * | type | does                                                    |
 * |------|---------------------------------------------------------|
 * | s    | sends src                                               |
 * | r    | receives into dst                                       |
 * | rcs  | receives into dst and sends that on                     |
 * | rrc  | receives, dst = src + received                          |
 * | rrs  | receives and sends src + received on, storing nothing   |
 * | rrcs | receives, dst = src + received, and sends that on       |
 * | cpy  | dst = src                                               |
 * | re   | dst = dst + src                                         |
 * | nop  | nothing: it waits for one block more                    |
 *
 * Messages on a link (sender, receiver, channel) come out in the order they
 * went in.  A send does not wait for its receive: what nobody has asked for yet
 * waits at the receiver.
 *
 * The text is untrusted: it may have no DTD (and so no entities), and no more
 * than the limits below. */
#ifndef SCHEDULE_MSCCL_H
#define SCHEDULE_MSCCL_H

#include <stdio.h>

#include "base/buf.h"
#include "schedule/schedule.h"

enum {
    MSCCL_BYTES_MAX = 1 << 26,
    MSCCL_STEPS_MAX = 1 << 18, /* of all thread blocks */
    MSCCL_BLOCKS_MAX = 1 << 14,
    MSCCL_CHANNELS_MAX = 1 << 10,
};

enum msccl_type {
    MSCCL_SEND,
    MSCCL_RECEIVE,
    MSCCL_RECEIVE_SEND,
    MSCCL_REDUCE_STORE,
    MSCCL_REDUCE_SEND,
    MSCCL_REDUCE_STORE_SEND,
    MSCCL_COPY,
    MSCCL_REDUCE,
    MSCCL_NOP,
    MSCCL_TYPES
};

enum msccl_buffer { MSCCL_INPUT, MSCCL_OUTPUT, MSCCL_SCRATCH };

struct msccl_place {
    enum msccl_buffer buffer;
    int offset;
};

struct msccl_step {
    enum msccl_type type;
    struct msccl_place src, dst;
    int count;                   /* chunks */
    int wait_block, wait_step;   /* -1: it waits for none */
};

struct msccl_block {
    int rank;
    int id;                      /* of the rank's blocks */
    int send, receive;           /* ranks; -1: none */
    int channel;
    size_t first;                /* index of its first step */
    int nsteps;
};

struct msccl {
    char name[SCHEDULE_NAME_MAX];
    const struct collective *collective;
    int nranks, root;
    bool in_place, out_of_place; /* what it was made for */
    int input, output, scratch;  /* chunks of a rank, at most */
    struct msccl_block *blocks;  /* of rank 0, 1, ... */
    int nblocks;
    int *first_block;            /* of rank r: first_block[r] .. [r + 1] - 1 */
    struct msccl_step *steps;
    size_t nsteps;
};

const char *msccl_type_name(enum msccl_type type);
bool msccl_receives(enum msccl_type type);
bool msccl_sends(enum msccl_type type);

/* False with FILE:LINE and the reason. */
bool msccl_read(struct msccl **m, FILE *file, const char *name,
                struct err *err);
void msccl_free(struct msccl *m);

/* The program as a schedule: in every step each block takes its next step if
 * it can.  What is sent before it is asked for goes into scratch slots of the
 * receiver and is applied from there.  NULL with the reason: blocks that wait
 * for ever, messages that nobody receives, slots that are written twice at
 * once.  The schedule is not proved yet. */
struct schedule *msccl_schedule(const struct msccl *m, bool out_of_place,
                                struct err *err);

/* Whether it would also come to its end if a link held one message at a time;
 * false with who waits for what. */
bool msccl_one_deep(const struct msccl *m, struct err *err);

/* A schedule as such a program: a thread block for each peer that a rank sends
 * to or receives from, and one for what stays within the rank.  Every step
 * waits for the one before it in the order of the rank's lowered program
 * (schedule/program.h).  The schedule must be valid. */
void msccl_write(const struct schedule *s, struct buf *out);

#endif
