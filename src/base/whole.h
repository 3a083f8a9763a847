/* SPDX-License-Identifier: MIT */
/* A double as a whole number.  A plain cast is undefined for values that an
 * int64_t cannot hold. */
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

#endif
