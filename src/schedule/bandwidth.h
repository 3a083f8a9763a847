/* SPDX-License-Identifier: MIT */
/* nccl-tests' arithmetic: what a size means for each collective, and the
 * bandwidths that follow from a time.
 *
 *     size = bandwidth_size(collective, 4, 4, 1 << 20);   1 MiB of float32
 *     algbw = size.bytes / ns                             GB/s, 1e9 bytes
 *     busbw = algbw * bandwidth_factor(collective, 4)
 *
 * As in nccl-tests 2.19: GetCollByteCount and GetBw of src/all_reduce.cu and
 * the other tests. */
#ifndef SCHEDULE_BANDWIDTH_H
#define SCHEDULE_BANDWIDTH_H

#include <stddef.h>
#include <stdint.h>

#include "schedule/collective.h"

struct bandwidth_size {
    int64_t count; /* elements, as nccl-tests counts them: of a unit where a
                    * collective deals units out to ranks */
    int64_t input; /* elements of a rank's input */
    int64_t bytes; /* of the larger one of input and output */
};

/* What `bytes` are for a collective of elements of `element` bytes.  A unit is
 * cut to a multiple of 16 bytes, so small sizes become 0. */
struct bandwidth_size bandwidth_size(const struct collective *c, int nranks,
                                     size_t element, int64_t bytes);

/* busbw / algbw: what the busiest link must carry, relative to the size, so
 * that busbw can be compared with the speed of a link, whatever the number of
 * ranks. */
double bandwidth_factor(const struct collective *c, int nranks);

#endif
