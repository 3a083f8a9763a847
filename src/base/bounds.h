/* SPDX-License-Identifier: MIT */
/* The smaller and the larger of two numbers, and a number within bounds. */
#ifndef BASE_BOUNDS_H
#define BASE_BOUNDS_H

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

/* The number that is nearest to `value` of low ... high; if there is none,
 * low. */
static inline int
within(int value, int low, int high)
{
    return most(least(value, high), low);
}

#endif
