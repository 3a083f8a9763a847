/* SPDX-License-Identifier: MIT */
/* MSCCL XML: reads algorithms that others wrote, and writes ours.
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
 * reads its data when it runs and puts it into a buffer at the receiver, from
 * which a receive takes it.  The buffer holds two messages if the protocol is
 * Simple, and eight if it is LL or LL128; a step of several chunks takes
 * several messages if they are large (msccl/ends.c).  A step waits for the step
 * before it in its thread block and for the step that depid and deps name.
 * Nothing else orders steps: if two unordered steps use the same chunk and one
 * of them writes it, that is a race, and the program is refused.
 *
 * A thread block publishes its progress only after a step with hasdep="1", and
 * that covers its earlier steps too.  So a step that waits for one with
 * hasdep="0" really waits for the next one with hasdep="1", and for ever if
 * there is none.
 *
 * Meaning and attributes are those of msccl-executor-nccl (c6f6b36):
 * src/misc/msccl/msccl_parser.cc, mscclGetAlgoFromXmlFile();
 * src/include/msccl/msccl_parser.h, mscclXmlGetAttrInt();
 * src/device/msccl_kernel.cu, mscclRunInterpreter();
 * src/misc/msccl/msccl_setup.cc, mscclSetupCount(); and what fills links,
 * Primitives in src/device/prims_simple.h (waitPeer()), prims_ll.h and
 * prims_ll128.h (waitSend()).  An attribute that every version of the runtime
 * requires must be there.  outofplace, minBytes and maxBytes, which older files
 * lack, are optional; "root" is our own, and 0 by default.  inplace="1" lets a
 * program run in place, outofplace="1" out of place, and so does inplace="0"
 * without an outofplace.
 *
 *     struct schedule *s = msccl_read(file, name, false, &notes, &err);
 *     msccl_write(s, stdout, &warning);
 */
#ifndef MSCCL_MSCCL_H
#define MSCCL_MSCCL_H

#include <stdio.h>

#include "schedule/schedule.h"

/* A program above one of these limits is too large to judge. */
enum {
    MSCCL_BYTES_MAX = 128 << 20,
    MSCCL_BLOCKS_MAX = 1 << 18,  /* thread blocks of all GPUs */
    MSCCL_STEPS_MAX = 1 << 20,   /* steps of all thread blocks */
    MSCCL_MOVED_MAX = 1 << 25,   /* chunks that all steps move */
    MSCCL_CELLS_MAX = 1 << 21,   /* chunks of all GPUs' buffers */
    MSCCL_WORK_MAX = 1 << 26,    /* steps visited when searching for races */
};

/* Facts about a file besides right and wrong. */
struct msccl_notes {
    bool too_large; /* not judged, because it is above a limit */
    bool both_ways; /* it is meant to run in place and out of place */
    const char *protocol;
    int depth;          /* messages that a link of the protocol holds */
    int64_t most_bytes; /* of data with which it ends; INT64_MAX: any */
    bool is_bounded;    /* the file's maxBytes allows no more than that */
    struct err beyond;  /* why it deadlocks with more, "" if it does not */
};

/* Reads a program as a schedule in which its thread blocks run as early as they
 * can.  A message that is received in the step in which it is sent becomes one
 * transfer.  Any other is copied to scratch of the receiver, and from there
 * with a local transfer.
 *
 * Returns NULL on failure, with the reason in *err, which names the line, or
 * the rank, thread block and step.  A failure is a file that is not such a
 * program, a deadlock with an amount of data that its maxBytes allows (without
 * maxBytes: with every amount), a message whose size differs from its receive,
 * or a race.  Also returns NULL above the limits; then notes->too_large is set,
 * and the file is neither right nor wrong.  schedule_check() decides whether
 * the collective's promise is kept.  The schedule is out of place only if that
 * is asked for and the program can be so, or it can be nothing else. */
struct schedule *msccl_read(FILE *file, const char *name, bool out_of_place,
                            struct msccl_notes *notes, struct err *err);

/* Writes a valid schedule as XML, with a thread block per peer that it sends to
 * or receives from, and one for local transfers.  *warning is "", or says what
 * exceeds the limits of msccl_read() or of MSCCL's runtime. */
void msccl_write(const struct schedule *s, FILE *out, struct err *warning);

#endif
