/* SPDX-License-Identifier: MIT */
/* The two floats of 16 bits, as bits.  They are for storing.  Arithmetic
 * widens them to float, which is exact, and rounds back to the nearest, ties to
 * even:
 *
 *     sum = float16_from_float(float16_to_float(a) + float16_to_float(b));
 *
 *                 sign  exponent  fraction  largest
 *     float16        1         5        10    65504    IEEE 754's binary16
 *     bfloat16       1         8         7  3.39e38    a float's upper half
 *
 * In plain C, since few compilers have both as types, and without branches,
 * so that loops over them vectorize.  Compiled by cc and by nvcc. */
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

/* Rounding may carry into the exponent, up to infinity: as it should. A NaN
 * must not round, and must not lose its last bit. */
HALF_FN uint16_t
bfloat16_from_float(float value)
{
    uint32_t bits = float_bits(value);
    uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    bool nan = (bits & 0x7fffffff) > 0x7f800000;

    return (uint16_t)((nan ? bits | 0x400000 : rounded) >> 16);
}

/* A float's exponent is larger by 112, so the bits, moved to a float's place,
 * are 2^-112 times the number: that of a subnormal one, too. All ones,
 * infinity and NaN, come out as 2^16 and more, and are made all ones again. */
HALF_FN float
float16_to_float(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    uint32_t moved = (uint32_t)(half & 0x7fff) << 13;
    uint32_t bits = float_bits(float_of_bits(moved) * 0x1p112f);
    uint32_t special = bits >= 143u << 23 ? 0x7f800000 : 0;

    return float_of_bits(bits | special | sign);
}

/* From 2^e on float16 has the multiples of 2^(e-10), but none finer than 2^-24;
 * a float has just these from 2^(e+13) on. So adding 2^(e+13) rounds, and the
 * sum's last bits are the fraction, a leading 1 in bit 10. What comes out too
 * large, infinity too, becomes infinity. */
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
