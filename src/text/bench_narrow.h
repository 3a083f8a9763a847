/* SPDX-License-Identifier: MIT */
/* The table of a benchmark with the columns of nccl-tests (text/bench_table.h),
 * but narrow enough for 80 columns:
 *
 *     #                                out-of-place             in-place
 *     # size  count  type redop root  time algbw busbw #wrong  time ...
 *     #  (B)                          (us)(GB/s)(GB/s)         (us)...
 *     # ring-allreduce, Avg bus bandwidth: 4.21, #wrong: 0 OK
 *        128     32 float   sum   -1  0.06  2.16  3.24      0  0.06 ... */
#ifndef TEXT_BENCH_NARROW_H
#define TEXT_BENCH_NARROW_H

#include <stddef.h>

#include "text/bench_table.h"

/* What was measured of one algorithm. */
struct bench_part {
    const char *name; /* as it is */
    const struct bench_row *rows;
    size_t nrows;
};

/* Appends the table, with a newline between its lines, which have the same
 * length in columns.  `title` stands in the first line. */
void bench_narrow(const char *title, const struct bench_part *parts,
                  size_t nparts, struct buf *out);

/* That length, whatever figures the rows will have. */
int bench_narrow_columns(const struct bench_part *parts, size_t nparts);

#endif
