/* SPDX-License-Identifier: MIT */
/* Numbers that look drawn, the same everywhere for the same seed. */
#ifndef BASE_MIX_H
#define BASE_MIX_H

#include <stdint.h>

/* Wellons's lowbias32: every bit of the result depends on every bit of x
 * (nullprogram.com/blog/2018/07/31). */
static inline uint32_t
mix32(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

/* The same for 64 bits (splitmix64, S. Vigna, public domain). */
static inline uint64_t
mix64(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

#endif
