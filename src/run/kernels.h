/* SPDX-License-Identifier: MIT */
/* The arithmetic on a CPU: one function per element type and operator. Memory
 * needs no special alignment.  `to` may equal `add`, but must not otherwise
 * overlap `add` or `from`. Integers wrap modulo 2^bits; float16 and bfloat16
 * are widened to float and rounded back by every call. */
#ifndef RUN_KERNELS_H
#define RUN_KERNELS_H

#include <stdint.h>

#include "base/dtype.h"

struct kernels {
    /* to[i] = add[i] op from[i], for i in 0 .. n-1 */
    void (*combine)(void *to, const void *add, const void *from, int64_t n);
    /* to[i] = to[i] / divisor; integers truncate */
    void (*divide)(void *to, int64_t n, int divisor);
    /* Corrupts one element so that no later combination hides it: a NaN in a
     * sum, the largest value under max, all bits flipped in an integer.  A
     * logical operator may hide it: 0 and anything is 0. */
    void (*corrupt)(void *to);
};

/* avg combines as sum does.  The type must have the operator (redop_check). */
struct kernels kernels_for(enum dtype type, enum redop op);

#endif
