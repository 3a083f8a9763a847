/* SPDX-License-Identifier: MIT */
#include "run/kernels.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/float_order.h"
#include "base/half.h"

/* Uses AVX2 if the machine has it.  Sanitizers cannot run in the resolver that
 * chooses, and clang has no such clones. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define FAST __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define FAST
#endif

/* t may equal a: no iteration depends on another. */
#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define SUM(a, b) ((a) + (b))
#define PROD(a, b) ((a) * (b))
#define MIN(a, b) ((b) < (a) ? (b) : (a))
#define MAX(a, b) ((b) > (a) ? (b) : (a))
#define LAND(a, b) (((a) != 0) & ((b) != 0))
#define LOR(a, b) (((a) | (b)) != 0)
#define BAND(a, b) ((a) & (b))
#define BOR(a, b) ((a) | (b))
#define BXOR(a, b) ((a) ^ (b))

/* `read` and `write` convert from and to the computing type: a cast or a
 * function. */
#define COMBINE(name, type, read, write, op)                                  \
    FAST static void name(void *to, const void *add, const void *from,        \
                          int64_t n)                                          \
    {                                                                         \
        type *t = to;                                                         \
        const type *a = add, *f = from;                                       \
        INDEPENDENT for (int64_t i = 0; i < n; i++)                           \
            t[i] = write(op(read(a[i]), read(f[i])));                         \
    }

#define DIVIDE(name, type, read, write)                                       \
    static void name(void *to, int64_t n, int divisor)                        \
    {                                                                         \
        type *t = to;                                                         \
        for (int64_t i = 0; i < n; i++)                                       \
            t[i] = write(read(t[i]) / divisor);                               \
    }

#define CORRUPT(name, type, value)                                            \
    static void name(void *to)                                                \
    {                                                                         \
        type x;                                                               \
        memcpy(&x, to, sizeof x);                                             \
        x = (type)(value);                                                    \
        memcpy(to, &x, sizeof x);                                             \
    }

/* `wrap` reads integers as unsigned, whose overflow wraps. */
#define TYPE(prefix, type, wrap, read, write)                                 \
    COMBINE(prefix##_sum, type, wrap, write, SUM)                             \
    COMBINE(prefix##_prod, type, wrap, write, PROD)                           \
    DIVIDE(prefix##_divide, type, read, write)

#define CORRUPTIONS(prefix, type, spoilt, least, most)                        \
    CORRUPT(prefix##_spoil, type, spoilt)                                     \
    CORRUPT(prefix##_least, type, x != (least) ? (least) : (most))            \
    CORRUPT(prefix##_most, type, x != (most) ? (most) : (least))

/* min and max of floats take them as bits. */
#define FLOAT(prefix, type, bits, read, write)                                \
    TYPE(prefix, type, read, read, write)                                     \
    COMBINE(prefix##_min, bits, (bits), (bits), prefix##_lesser)              \
    COMBINE(prefix##_max, bits, (bits), (bits), prefix##_greater)             \
    CORRUPTIONS(prefix, type, write(NAN), write(-INFINITY), write(INFINITY))

#define INTEGER(prefix, type, wrap, least, most)                              \
    TYPE(prefix, type, wrap, (type), (type))                                  \
    COMBINE(prefix##_min, type, (type), (type), MIN)                          \
    COMBINE(prefix##_max, type, (type), (type), MAX)                          \
    COMBINE(prefix##_land, type, (type), (type), LAND)                        \
    COMBINE(prefix##_lor, type, (type), (type), LOR)                          \
    COMBINE(prefix##_band, type, (type), (type), BAND)                        \
    COMBINE(prefix##_bor, type, (type), (type), BOR)                          \
    COMBINE(prefix##_bxor, type, (type), (type), BXOR)                        \
    CORRUPTIONS(prefix, type, ~x, least, most)                                \
    CORRUPT(prefix##_negate, type, !x)

FLOAT(float32, float, uint32_t, (float), (float))
FLOAT(float64, double, uint64_t, (double), (double))
FLOAT(float16, uint16_t, uint16_t, float16_to_float, float16_from_float)
FLOAT(bfloat16, uint16_t, uint16_t, bfloat16_to_float, bfloat16_from_float)
INTEGER(int32, int32_t, (uint32_t), INT32_MIN, INT32_MAX)
INTEGER(int64, int64_t, (uint64_t), INT64_MIN, INT64_MAX)
INTEGER(uint8, uint8_t, (uint8_t), 0, UINT8_MAX)

#define OPS(prefix)                                                           \
    [REDOP_SUM] = {prefix##_sum, prefix##_divide, prefix##_spoil},            \
    [REDOP_PROD] = {prefix##_prod, prefix##_divide, prefix##_spoil},          \
    [REDOP_MIN] = {prefix##_min, prefix##_divide, prefix##_least},            \
    [REDOP_MAX] = {prefix##_max, prefix##_divide, prefix##_most},             \
    [REDOP_AVG] = {prefix##_sum, prefix##_divide, prefix##_spoil}

#define INTEGER_OPS(prefix)                                                   \
    OPS(prefix),                                                              \
    [REDOP_LAND] = {prefix##_land, prefix##_divide, prefix##_negate},         \
    [REDOP_LOR] = {prefix##_lor, prefix##_divide, prefix##_negate},           \
    [REDOP_BAND] = {prefix##_band, prefix##_divide, prefix##_spoil},          \
    [REDOP_BOR] = {prefix##_bor, prefix##_divide, prefix##_spoil},            \
    [REDOP_BXOR] = {prefix##_bxor, prefix##_divide, prefix##_spoil}

static const struct kernels table[DTYPES][REDOPS] = {
    [DTYPE_FLOAT32] = {OPS(float32)},
    [DTYPE_FLOAT64] = {OPS(float64)},
    [DTYPE_FLOAT16] = {OPS(float16)},
    [DTYPE_BFLOAT16] = {OPS(bfloat16)},
    [DTYPE_INT32] = {INTEGER_OPS(int32)},
    [DTYPE_INT64] = {INTEGER_OPS(int64)},
    [DTYPE_UINT8] = {INTEGER_OPS(uint8)},
};

struct kernels
kernels_for(enum dtype type, enum redop op)
{
    assert(table[type][op].combine != NULL);
    return table[type][op];
}
