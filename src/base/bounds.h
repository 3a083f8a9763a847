/* SPDX-License-Identifier: MIT */
/* The smaller and the larger of two numbers. */
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

#endif
