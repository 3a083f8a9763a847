/* SPDX-License-Identifier: MIT */
/* Measurements: how often a call is made for one, and their median. */
#ifndef TESTS_MEDIAN_H
#define TESTS_MEDIAN_H

#include <stdint.h>
#include <stdlib.h>

static const int64_t bench_sizes[] = {8,        1 << 10,  32 << 10, 1 << 20,
                                      16 << 20, 64 << 20};

/* Calls in a row: `most` small ones. */
static inline int
calls_for(int64_t bytes, int most)
{
    return bytes <= 1 << 10   ? most
           : bytes <= 32 << 10 ? most / 5
           : bytes <= 1 << 20  ? 10
                               : 1;
}

static inline int
median_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts the values; of an even number it returns the larger of the middle
 * two. */
static inline double
median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, median_by_value);
    return values[n / 2];
}

#endif
