/* SPDX-License-Identifier: MIT */
/* Arithmetic on ranks, shared by algorithms. */
#ifndef COLL_LIB_ARITHMETIC_H
#define COLL_LIB_ARITHMETIC_H

/* a mod n, from 0 to n-1 also for negative a. */
static inline int
modulo(int a, int n)
{
    return (a % n + n) % n;
}

/* The largest k with 2^k <= n, for n >= 1. */
static inline int
log2_floor(int n)
{
    int k = 0;

    while (n >>= 1)
        k++;
    return k;
}

/* The least k with 2^k >= n, for n >= 1. */
static inline int
log2_ceil(int n)
{
    return n > 1 ? log2_floor(n - 1) + 1 : 0;
}

#endif
