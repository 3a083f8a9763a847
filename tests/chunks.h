/* SPDX-License-Identifier: MIT */
/* Transfers of one output chunk from rank `src` to rank `dst`, in tests that
 * write a schedule by hand. */
#ifndef TESTS_CHUNKS_H
#define TESTS_CHUNKS_H

#include "schedule/schedule.h"

static inline void
move_chunk(struct schedule *s, enum transfer_op op, int src, int dst,
           int chunk)
{
    int from = schedule_output(s, src).first + chunk;
    int to = schedule_output(s, dst).first + chunk;

    schedule_add(s, (struct transfer){.src = src, .dst = dst, .src_slot = from,
                                      .dst_slot = to, .add_slot = to,
                                      .nslots = 1, .op = op});
}

static inline void
copy_chunk(struct schedule *s, int src, int dst, int chunk)
{
    move_chunk(s, TRANSFER_COPY, src, dst, chunk);
}

static inline void
reduce_chunk(struct schedule *s, int src, int dst, int chunk)
{
    move_chunk(s, TRANSFER_REDUCE, src, dst, chunk);
}

#endif
