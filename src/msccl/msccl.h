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
 * | nop  | nothing; carries one more dependency of the next step      |
 *
 * Messages go over a link per (src, dst, chan), first in, first out.  A send
 * reads its data then and there and puts it into a place at the receiver,
 * where a receive finds it.  A step waits for the step before it in its
 * thread block and for the step that depid and deps name.  What is not
 * ordered by these and by messages is not ordered: two steps that may meet in
 * one chunk, one of them writing, are a race, and such a program is refused.
 *
 * A thread block publishes how far it is only after a step with hasdep="1",
 * and what it publishes then covers its earlier steps.  So a step that waits
 * for one with hasdep="0" really waits for the next one with hasdep="1", and
 * for ever where there is none.
 *
 * Meaning and attributes are those of msccl-executor-nccl (c6f6b36):
 * src/misc/msccl/msccl_parser.cc, mscclGetAlgoFromXmlFile(), and
 * src/device/msccl_kernel.cu, mscclRunInterpreter().  Missing attributes that
 * every version of the runtime asks for are an error.  outofplace, minBytes and
 * maxBytes, which older files lack, may be missing; "root" is ours, and 0 where
 * it is missing.  inplace="1" lets a program run in place, outofplace="1" out
 * of place, and so does inplace="0" without an outofplace.
 *
 *     struct schedule *s = msccl_read(file, name, false, &notes, &err);
 *     msccl_write(s, stdout, &warning);
 */
#ifndef MSCCL_MSCCL_H
#define MSCCL_MSCCL_H

#include <stdio.h>

#include "schedule/schedule.h"

/* What is above these is too large to judge. */
enum {
    MSCCL_BYTES_MAX = 128 << 20,
    MSCCL_BLOCKS_MAX = 1 << 18,  /* thread blocks of all GPUs */
    MSCCL_STEPS_MAX = 1 << 20,   /* of all thread blocks */
    MSCCL_MOVED_MAX = 1 << 24,   /* chunks that all steps move */
    MSCCL_CELLS_MAX = 1 << 21,   /* chunks of all GPUs' buffers */
    MSCCL_WORK_MAX = 1 << 26,    /* steps looked at, to find races */
};

/* What there is to say of a file besides that it is right or wrong. */
struct msccl_notes {
    bool too_large;   /* it was not judged: it is above a limit */
    struct err links; /* why it gets stuck where a link holds one message at a
                       * time; "" if it does not */
};

/* The schedule of a program: its thread blocks run as early as they can.  A
 * message that is received in the step it is sent in is one transfer; any
 * other goes to scratch of the receiver, and from there with a local
 * transfer.
 *
 * NULL with the reason, which names the line, or the rank, thread block and
 * step: the file is not such a program; it gets stuck though links hold any
 * number of messages; messages do not fit what receives them; there is a race.
 * NULL, too, where it asks for more than the limits above, which says nothing
 * about right and wrong: notes->too_large.  Whether it does what its collective
 * promises is for schedule_check(). */
struct schedule *msccl_read(FILE *file, const char *name, bool out_of_place,
                            struct msccl_notes *notes, struct err *err);

/* A valid schedule as XML: per peer a thread block that sends and one that
 * receives, and one for local transfers.  `warning` is filled with "", or with
 * what is larger than msccl_read(), or MSCCL's runtime, takes. */
void msccl_write(const struct schedule *s, FILE *out, struct err *warning);

#endif
