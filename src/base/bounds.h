/* SPDX-License-Identifier: MIT */
/* The smaller and the larger of two numbers, and a number within bounds, which
 * may be those of an int64_t. */
#ifndef BASE_BOUNDS_H
#define BASE_BOUNDS_H

#include <math.h>
#include <stdint.h>

static inline int
least(int a, int b)
{
    return a < b ? a : b;
}

static inline int
most(int a, int b)
{
    return a > b ? a : b;
}

static inline int64_t
least64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t
most64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* The number that is nearest to `value` of low ... high; if there is none,
 * low. */
static inline int
within(int value, int low, int high)
{
    return most(least(value, high), low);
}

/* The whole number that is nearest to a double, or the nearest one that an
 * int64_t can hold: a plain cast is undefined for others.  NAN counts as
 * infinite. */
static inline int64_t
whole(double value)
{
    if (value < -9.2e18)
        return INT64_MIN;
    return value < 9.2e18 ? llround(value) : INT64_MAX;
}

#endif
