/* SPDX-License-Identifier: MIT */
/* MSCCL XML: algorithms that others wrote, as schedules, and ours as XML.
 *
 * An algorithm is a program for every GPU: thread blocks, each with at most
 * one peer to send to and one to receive from, and in each a list of steps.
 *
 * | type | does                                                       |
 * |------|------------------------------------------------------------|
 * | s    | sends src                                                  |
 * | r    | receives into dst                                          |
 * | rcs  | receives into dst, sends that on                           |
 * | rrc  | dst = src + received                                       |
 * | rrs  | sends src + received on                                    |
 * | rrcs | dst = src + received, sends that on                        |
 * | cpy  | dst = src                                                  |
 * | re   | dst = dst + src                                            |
 * | nop  | nothing; carries one more dependency                       |
 *
 * Messages go over a link per (src, dst, chan), first in, first out.  A send
 * reads its data then and there and puts it into a place at the receiver,
 * where a receive finds it.  A step waits for the step before it in its
 * thread block and for the step that depid and deps name.  What is not
 * ordered by these and by messages is not ordered: two steps that may meet in
 * one chunk, one of them writing, are a race, and such a program is refused.
 *
 * The attributes are those of msccl-executor-nccl; "root" is ours, and 0
 * where it is missing.  inplace="1" lets it run in place, outofplace="1" out
 * of place; without either it runs out of place.
 *
 *     struct schedule *s = msccl_read(file, name, false, &links, &err);
 *     msccl_write(s, stdout);
 */
#ifndef MSCCL_MSCCL_H
#define MSCCL_MSCCL_H

#include <stdio.h>

#include "schedule/schedule.h"

/* No more is read of a file; what is above is an error. */
enum {
    MSCCL_BYTES_MAX = 32 << 20,
    MSCCL_BLOCKS_MAX = 1 << 14, /* thread blocks of all GPUs */
    MSCCL_STEPS_MAX = 1 << 17,  /* of all thread blocks */
    MSCCL_MOVED_MAX = 1 << 21,  /* chunks that all steps move */
    MSCCL_CELLS_MAX = 1 << 21,  /* chunks of all GPUs' buffers */
    MSCCL_WORK_MAX = 1 << 26,   /* comparisons, to judge its order */
    MSCCL_CLOCKS_MAX = 1 << 25, /* words, for the same */
};

/* The schedule of a program: its thread blocks run as early as they can.  A
 * message that is received in the step it is sent in is one transfer; any
 * other goes to scratch of the receiver, and from there with a local
 * transfer.  `links` is filled with "", or with why the program gets stuck
 * where links hold one message at a time.
 *
 * NULL with the reason, which names the line, or the rank, thread block and
 * step: the file is not such a program; it asks for more than the limits
 * above; it gets stuck though links hold any number of messages; messages do
 * not fit what receives them; there is a race.  Whether it does what its
 * collective promises is for schedule_check(). */
struct schedule *msccl_read(FILE *file, const char *name, bool out_of_place,
                            struct err *links, struct err *err);

/* A valid schedule as XML: per peer a thread block that sends and one that
 * receives, and one for local transfers. */
void msccl_write(const struct schedule *s, FILE *out);

#endif
