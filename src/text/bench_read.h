/* SPDX-License-Identifier: MIT */
/* Reads what nccl-tests, rccl-tests and collviz have measured, as series: their
 * tables, old and new, and the JSON of nccl-tests' -J.
 *
 *     struct series_set set = {0};
 *     if (!bench_read(text, length, "run.txt", NULL, &set, &err)) ...
 *     series_set_done(&set);
 *
 * A series has one test, type, operator and root: "all_reduce_perf, float sum";
 * what was measured in place has one of its own: "all_reduce_perf, float sum,
 * in place".  Lines around tables, such as NCCL's log, are skipped.
 *
 * nccl-tests rounds bandwidths to two decimals.  If the time has more digits,
 * they are computed from it, and the ratio of busbw to algbw is taken from the
 * row that has it most exactly.  Points are in the order of their sizes; of
 * equal sizes the fastest comes first. */
#ifndef TEXT_BENCH_READ_H
#define TEXT_BENCH_READ_H

#include "base/err.h"
#include "text/series.h"

/* Bytes of a file; rows of all its tables; series of a set. */
enum {
    BENCH_FILE_MAX = 64 << 20,
    BENCH_ROWS_MAX = 1 << 20,
    BENCH_SERIES_MAX = 512
};

/* Adds the series of a text of `length` bytes to the set.  Their names must be
 * new: a file that is read twice is an error.  `file` is its name in errors,
 * and that of series whose table has none; `prefix` begins the names of all
 * series, or is NULL.  Returns false, with the reason in *err, if there is no
 * table in it, a damaged one: "run.txt:7: '1.2.3' is no time", or one with
 * numbers that no machine has: times below 1 ps or above 31 years.
 *
 * Rows that say nothing are left out, each with a line in set->notes: those
 * that a failure of nccl-tests has cut short, and those without a time. */
bool bench_read(const char *text, size_t length, const char *file,
                const char *prefix, struct series_set *set, struct err *err);

#endif
