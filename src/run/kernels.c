/* SPDX-License-Identifier: MIT */
#include "run/kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* AVX2 where the machine has it.  Sanitizers can not run in the resolver that
 * chooses, and clang has no such clones. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FAST __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define FAST
#endif

/* t may equal a, which carries nothing from one i to the next. */
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((b) > (a) ? (b) : (a))

#define COMBINE(name, type, wide, op)                                         \
    FAST static void name(void *to, const void *add, const void *from,        \
                          int64_t n)                                          \
    {                                                                         \
        type *t = to;                                                         \
        const type *a = add, *f = from;                                       \
        INDEPENDENT for (int64_t i = 0; i < n; i++)                  \
            t[i] = (type)op((wide)a[i], (wide)f[i]);                          \
    }

#define DIVIDE(name, type)                                                    \
    static void name(void *to, int64_t n, int divisor)                        \
    {                                                                         \
        type *t = to;                                                         \
        for (int64_t i = 0; i < n; i++)                                       \
            t[i] = (type)(t[i] / (type)divisor);                              \
    }

/* `wide`: unsigned for integers, whose overflow must wrap. */
#define TYPE(prefix, type, wide)                                              \
    COMBINE(prefix##_sum, type, wide, SUM)                                    \
    COMBINE(prefix##_prod, type, wide, PROD)                                  \
    COMBINE(prefix##_min, type, type, MIN)                                    \
    COMBINE(prefix##_max, type, type, MAX)                                    \
    DIVIDE(prefix##_divide, type)

TYPE(float32, float, float)
TYPE(float64, double, double)
TYPE(int32, int32_t, uint32_t)
TYPE(int64, int64_t, uint64_t)

COMBINE(uint8_sum, uint8_t, uint8_t, SUM)
COMBINE(uint8_prod, uint8_t, uint8_t, PROD)
COMBINE(uint8_min, uint8_t, uint8_t, MIN)
COMBINE(uint8_max, uint8_t, uint8_t, MAX)

/* A divisor above 255 does not fit the type. */
static void
uint8_divide(void *to, int64_t n, int divisor)
{
    uint8_t *t = to;

    for (int64_t i = 0; i < n; i++)
        t[i] = (uint8_t)(t[i] / divisor);
}

#define CORRUPT(name, type, value)                                            \
    static void name(void *to)                                                \
    {                                                                         \
        type x;                                                               \
        memcpy(&x, to, sizeof x);                                             \
        x = (type)(value);                                                    \
        memcpy(to, &x, sizeof x);                                             \
    }

#define CORRUPTIONS(prefix, type, spoilt, least, most)                        \
    CORRUPT(prefix##_spoil, type, spoilt)                                     \
    CORRUPT(prefix##_least, type, x > (least) ? (least) : (most))             \
    CORRUPT(prefix##_most, type, x < (most) ? (most) : (least))

CORRUPTIONS(float32, float, NAN, -INFINITY, INFINITY)
CORRUPTIONS(float64, double, (double)NAN, -(double)INFINITY, (double)INFINITY)
CORRUPTIONS(int32, int32_t, ~x, INT32_MIN, INT32_MAX)
CORRUPTIONS(int64, int64_t, ~x, INT64_MIN, INT64_MAX)
CORRUPTIONS(uint8, uint8_t, ~x, 0, UINT8_MAX)

#define ROW(prefix)                                                           \
    {                                                                         \
        [REDOP_SUM] = {prefix##_sum, prefix##_divide, prefix##_spoil},        \
        [REDOP_PROD] = {prefix##_prod, prefix##_divide, prefix##_spoil},      \
        [REDOP_MIN] = {prefix##_min, prefix##_divide, prefix##_least},        \
        [REDOP_MAX] = {prefix##_max, prefix##_divide, prefix##_most},         \
        [REDOP_AVG] = {prefix##_sum, prefix##_divide, prefix##_spoil},        \
    }

static const struct kernels table[DTYPES][REDOPS] = {
    [DTYPE_FLOAT32] = ROW(float32), [DTYPE_FLOAT64] = ROW(float64),
    [DTYPE_INT32] = ROW(int32),     [DTYPE_INT64] = ROW(int64),
    [DTYPE_UINT8] = ROW(uint8),
};

struct kernels
kernels_for(enum dtype type, enum redop op)
{
    return table[type][op];
}
