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

#endif
