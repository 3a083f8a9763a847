/* SPDX-License-Identifier: MIT */
/* The median of measurements. */
#ifndef TESTS_MEDIAN_H
#define TESTS_MEDIAN_H

#include <stdlib.h>

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
