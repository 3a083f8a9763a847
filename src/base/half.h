/* SPDX-License-Identifier: MIT */
/* The two 16-bit float types, as bits.  They are for storage.  Arithmetic
 * widens them to float, which is exact, and rounds back to the nearest, ties to
 * even:
 *
 *     sum = float16_from_float(float16_to_float(a) + float16_to_float(b));
 *
 *                 sign  exponent  fraction  largest
 *     float16        1         5        10    65504    IEEE 754's binary16
 *     bfloat16       1         8         7  3.39e38    a float's upper half
 *
 * Written in plain C, since few compilers have both types, and without
 * branches, so that loops vectorize.  Compiled by cc and by nvcc. */
#ifndef BASE_HALF_H
#define BASE_HALF_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define HALF_FN static __host__ __device__ inline
#else
#define HALF_FN static inline
#endif

HALF_FN uint32_t
float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

HALF_FN float
float_of_bits(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

HALF_FN float
bfloat16_to_float(uint16_t half)
{
    return float_of_bits((uint32_t)half << 16);
}

/* Rounding may carry into the exponent, up to infinity, as it should.  A NaN is
 * not rounded; its quiet bit is set, so it stays a NaN after the shift. */
HALF_FN uint16_t
bfloat16_from_float(float value)
{
    uint32_t bits = float_bits(value);
    uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    bool nan = (bits & 0x7fffffff) > 0x7f800000;

    return (uint16_t)((nan ? bits | 0x400000 : rounded) >> 16);
}

/* A float's exponent bias is larger by 112.  So the bits, moved to their place
 * in a float, are 2^-112 times the number, also for subnormal numbers.  An
 * exponent of all ones (infinity, NaN) comes out as 2^16 or more, and is set to
 * all ones again. */
HALF_FN float
float16_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t moved = (uint32_t)(half & 0x7fff) << 13;
    uint32_t bits = float_bits(float_of_bits(moved) * 0x1p112f);
    uint32_t special = bits >= 143u << 23 ? 0x7f800000 : 0;

    return float_of_bits(bits | special | sign);
}

/* From 2^e on, float16 has the multiples of 2^(e-10), but none finer than
 * 2^-24; a float has exactly these from 2^(e+13) on.  So adding 2^(e+13)
 * rounds, and the last bits of the sum are the fraction, with its leading 1 in
 * bit 10.  Results that are too large become infinity. */
HALF_FN uint16_t
float16_from_float(float value)
{
    uint32_t sign = float_bits(value) & 0x80000000;
    uint32_t bits = float_bits(value) ^ sign;
    uint32_t least = 113u << 23, exponent = bits & 0x7f800000;
    uint32_t power = exponent > least ? exponent : least;
    float sum = float_of_bits(bits) + float_of_bits(power + (13u << 23));
    uint32_t half = ((power - least) >> 13) + (float_bits(sum) & 0xfff);
    uint32_t number = half < 0x7c00 ? half : 0x7c00;
    uint32_t nan = bits > 0x7f800000 ? 0x200 : 0;

    return (uint16_t)(number | nan | sign >> 16);
}

#endif
