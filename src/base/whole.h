/* SPDX-License-Identifier: MIT */
/* Whole numbers: a double as one (a plain cast is undefined for values that an
 * int64_t cannot hold), and one within bounds. */
#ifndef BASE_WHOLE_H
#define BASE_WHOLE_H

#include <math.h>
#include <stdint.h>

/* The nearest whole number, or the nearest one that an int64_t can hold.  NAN
 * counts as infinite. */
static inline int64_t
whole(double value)
{
    if (value < -9.2e18)
        return INT64_MIN;
    return value < 9.2e18 ? llround(value) : INT64_MAX;
}

/* The number that is nearest to `value` of least ... most; if there is none,
 * least. */
static inline int
whole_within(int value, int least, int most)
{
    value = value < most ? value : most;
    return value > least ? value : least;
}

#endif
