/* SPDX-License-Identifier: MIT */
/* How NCCL moves the data of a message, and what follows if the two ends of a
 * message have different counts (RULES_NCCL of schedule/mismatch.h).
 *
 * Between two ranks there is a ring of buffers with NCCL_STEPS = 8 places.  The
 * sender counts the places that it has filled, the receiver those that it has
 * emptied; each waits for the other's counter, and neither says how many
 * elements it means.  So what decides whether ranks hang is how many places a
 * message takes:
 *
 *   - A message is cut into chunks.  A chunk of an all-reduce, all-gather or
 *     reduce-scatter (as its ring has them) takes 4 places, in 2 slices; one of
 *     another collective takes 1 place, in 1 slice.  A place has 4 MiB / 8 =
 *     512 KiB (NCCL_BUFFSIZE), so a chunk has 2 MiB or 512 KiB.  A message
 *     without elements has a chunk, too.
 *   - A chunk always takes all of its slices; the last one may be empty.  A
 *     slice of n elements in s slices has 16 * ceil(n / (16 s)), but no less
 *     than 1/32 of the slice's room.
 *   - A sender may fill all 8 places before its receiver empties one.
 *
 * The run ends if both ends take the same number of chunks.  A receiver
 * that expects more elements than were sent takes the rest from what an earlier
 * slice has left in the same place.  Otherwise one side waits for ever, or the
 * next message is taken for the rest of this one.
 *
 * Example: float32 on 8 ranks, which cut their elements into 8 parts, each a
 * message.  A part of a ring all-reduce is one chunk for up to 524288 elements.
 * So counts of 409598 and 409600 end, with wrong last elements on the ranks
 * that gave more; 409600 and 32768000 hang.
 *
 * NCCL 2.30.7: src/include/device.h 26 and collectives.h 19-34 (steps), init.cc
 * 813 (bytes), enqueue.cc 2223 (other algorithms than rings have one step),
 * device/prims_simple.h 107 (the wait), 183 (slices), 290 (empty ones).  In
 * NVIDIA/nccl issue 1417 the last elements of rank 0 are 6 instead of 8, as
 * they are here (tests/mismatch.c).
 *
 * This is the protocol Simple, which NCCL takes for large messages.  LL, which
 * it takes for small ones, has a flag in each 8 bytes of data, and LL128 in
 * each 120: there a receiver waits for ever for elements that were not sent.
 * Neither is here, nor that NCCL chooses protocol, algorithm and channels by
 * each rank's own count, so that large differences hang for more reasons.  NCCL
 * moves the first chunk of every message before the second of any; here a
 * message is moved as a whole. */
#ifndef RUN_NCCL_SLICES_H
#define RUN_NCCL_SLICES_H

#include <stddef.h>
#include <stdint.h>

#include "schedule/schedule.h"

struct nccl_cut {
    int64_t chunk; /* elements of a full one */
    int slices;    /* of a chunk */
    int ahead;     /* slices that a sender may be ahead of its receiver */
};

enum { NCCL_AHEAD_MOST = 8 };

struct nccl_cut nccl_cut_of(const struct collective *c, size_t element_bytes);

/* The slices of a message of `length` elements. */
int64_t nccl_slices(const struct nccl_cut *c, int64_t length);

/* The elements of its slice i; the first of them is *from. */
int64_t nccl_slice(const struct nccl_cut *c, int64_t length, int64_t i,
                   int64_t *from);

#endif
