/* SPDX-License-Identifier: MIT */
/* The smaller and the larger of two floats, as min and max reduce them.  The
 * rule is that of NCCL, whose kernels take fminf and fmaxf: a number wins over
 * a NaN, and -0 is below +0.  NaNs, which only win among themselves, are in the
 * order of their bits.  So these are the least and the greatest in a total
 * order of bits, and no order of reductions changes the result:
 *
 *     min:   -inf ... -1 ... -0 +0 ... 1 ... inf NaNs
 *     max:   NaNs -inf ... -1 ... -0 +0 ... 1 ... inf
 *
 * Bits that are counted up go round: +0 ... inf, NaNs, -0 ... -inf, -NaNs, and
 * +0 again.  The number of NaNs of one sign, which is that of the fraction's
 * bits that are not all 0, is added so that the smallest integer is the first
 * -NaN for min, and the first NaN for max.  A pair is then in order, or for min
 * in reverse if one has a sign, for max if both have.  Vectorizes, without
 * shifts; compiled by cc and by nvcc. */
#ifndef BASE_FLOAT_ORDER_H
#define BASE_FLOAT_ORDER_H

#include <stdint.h>

#ifdef __CUDACC__
#define FLOAT_ORDER_FN static __host__ __device__ inline
#else
#define FLOAT_ORDER_FN static inline
#endif

/* name_order(a, b, shift): all bits are set if b comes after a. */
#define FLOAT_ORDER(name, size, nans)                                      \
    FLOAT_ORDER_FN uint##size##_t name##_order(                            \
        uint##size##_t a, uint##size##_t b, uint##size##_t shift)          \
    {                                                                      \
        return (uint##size##_t)-(uint##size##_t)(                          \
            (int##size##_t)(b + shift) > (int##size##_t)(a + shift));      \
    }                                                                      \
    FLOAT_ORDER_FN uint##size##_t name##_lesser(uint##size##_t a,          \
                                                uint##size##_t b)          \
    {                                                                      \
        uint##size##_t after =                                             \
            name##_order(a, b, INT##size##_MAX + nans + 1);                \
        return (int##size##_t)(after ^ (a | b)) < 0 ? a : b;               \
    }                                                                      \
    FLOAT_ORDER_FN uint##size##_t name##_greater(uint##size##_t a,         \
                                                 uint##size##_t b)         \
    {                                                                      \
        uint##size##_t after = name##_order(a, b, nans);                   \
        return (int##size##_t)(after ^ (a & b)) < 0 ? b : a;               \
    }

FLOAT_ORDER(float32, 32, UINT32_C(0x7fffff))
FLOAT_ORDER(float64, 64, UINT64_C(0xfffffffffffff))
FLOAT_ORDER(float16, 16, 0x3ff)
FLOAT_ORDER(bfloat16, 16, 0x7f)

#endif
