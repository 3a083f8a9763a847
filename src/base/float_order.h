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
 * Flipping the lower bits of negative numbers makes the bits integers in the
 * order -NaN, -inf ... inf, NaN.  Shifted by the number of NaNs of one sign,
 * which is that of the fraction's bits that are not all 0, the NaNs at one end
 * wrap around to the other.  Vectorizes; compiled by cc and by nvcc. */
#ifndef BASE_FLOAT_ORDER_H
#define BASE_FLOAT_ORDER_H

#include <stdint.h>

#ifdef __CUDACC__
#define FLOAT_ORDER_FN static __host__ __device__ inline
#else
#define FLOAT_ORDER_FN static inline
#endif

#define FLOAT_ORDER(name, size, nans)                                     \
    FLOAT_ORDER_FN int##size##_t name##_key(uint##size##_t bits,          \
                                            uint##size##_t shift)         \
    {                                                                     \
        int##size##_t sign =                                              \
            (int##size##_t)((int##size##_t)bits >> (size - 1));           \
        return (int##size##_t)((bits ^ (uint##size##_t)sign >> 1) + shift); \
    }                                                                     \
    FLOAT_ORDER_FN uint##size##_t name##_lesser(uint##size##_t a,         \
                                                uint##size##_t b)         \
    {                                                                     \
        const uint##size##_t shift = (uint##size##_t)-(nans);             \
        return name##_key(b, shift) < name##_key(a, shift) ? b : a;       \
    }                                                                     \
    FLOAT_ORDER_FN uint##size##_t name##_greater(uint##size##_t a,        \
                                                 uint##size##_t b)        \
    {                                                                     \
        return name##_key(b, nans) > name##_key(a, nans) ? b : a;         \
    }

FLOAT_ORDER(float32, 32, UINT32_C(0x7fffff))
FLOAT_ORDER(float64, 64, UINT64_C(0xfffffffffffff))
FLOAT_ORDER(float16, 16, 0x3ff)
FLOAT_ORDER(bfloat16, 16, 0x7f)

#endif
