/* SPDX-License-Identifier: MIT */
/* The arithmetic of a thread block, 16 bytes an access. It is C++, for nvcc.
 *
 * Every function does one thread's share, that of `thread` of `threads`.
 * Pointers usually lie on boundaries of 16 bytes (workers/cuda/gpu_run.h);
 * where they do not, the work goes element by element.  A thread combines and
 * divides the same elements in all calls with the same n, so a block may do so
 * twice without a barrier between; it moves other elements.
 *
 * The functions run on the host as well: tests/lanes.cu compares them with
 * run/kernels.h there. */
#ifndef WORKERS_CUDA_LANES_H
#define WORKERS_CUDA_LANES_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/dtype.h"
#include "base/float_order.h"
#include "base/half.h"

#define LANES_FN static inline __host__ __device__
#ifdef __CUDA_ARCH__
#define LANES_OUT_OF_LINE static __device__ __noinline__
#else
#define LANES_OUT_OF_LINE LANES_FN
#endif

/* 0 where speed matters little: additions go element by element, which ptxas
 * compiles in a quarter of the time, and fewer accesses are under way. */
#ifndef LANES_PACKS
#define LANES_PACKS 1
#endif

/* Accesses of a thread that are under way at once: of a combination, which
 * reads two places, and of a move. */
enum { LANES_UNROLL = 4, LANES_UNROLL_MOVE = LANES_PACKS ? 8 : 4 };

/* How many threads share the work, if the includer knows that in advance. */
#ifndef LANES_THREADS
#define LANES_THREADS(threads) (threads)
#endif

/* Floats of 16 bits are added as floats, and rounded at each addition. */
struct lanes_float16 {
    uint16_t bits;
};
struct lanes_bfloat16 {
    uint16_t bits;
};

/* A GPU has one instruction for what takes plain C a dozen.  The bits are the
 * same, except those of a NaN. */
LANES_FN float
lanes_read(struct lanes_float16 x)
{
#ifdef __CUDA_ARCH__
    float wide;

    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(x.bits));
    return wide;
#else
    return float16_to_float(x.bits);
#endif
}

LANES_FN void
lanes_write(float wide, struct lanes_float16 *x)
{
#ifdef __CUDA_ARCH__
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(x->bits) : "f"(wide));
#else
    x->bits = float16_from_float(wide);
#endif
}

/* GPUs before compute capability 8.0 have no instruction for these; plain C
 * needs only a few. */
LANES_FN float
lanes_read(struct lanes_bfloat16 x)
{
    return bfloat16_to_float(x.bits);
}

LANES_FN void
lanes_write(float wide, struct lanes_bfloat16 *x)
{
    x->bits = bfloat16_from_float(wide);
}

/* The type that elements are widened to before they are added or multiplied
 * (`wrap`) or compared (`read`), and the way back.  Integers wrap as unsigned
 * ones do. */
template <typename T, typename Wrap> struct lanes_plain {
    static __host__ __device__ Wrap wrap(T x) { return (Wrap)x; }
    static __host__ __device__ T read(T x) { return x; }
    template <typename Wide> static __host__ __device__ T write(Wide x)
    {
        return (T)x;
    }
};
template <typename T> struct lanes_type : lanes_plain<T, T> {};
template <> struct lanes_type<int32_t> : lanes_plain<int32_t, uint32_t> {};
template <> struct lanes_type<int64_t> : lanes_plain<int64_t, uint64_t> {};
template <typename T> struct lanes_half {
    static __host__ __device__ float wrap(T x) { return lanes_read(x); }
    static __host__ __device__ float read(T x) { return lanes_read(x); }
    static __host__ __device__ T write(float wide)
    {
        T x;

        lanes_write(wide, &x);
        return x;
    }
};
template <>
struct lanes_type<lanes_float16> : lanes_half<lanes_float16> {};
template <>
struct lanes_type<lanes_bfloat16> : lanes_half<lanes_bfloat16> {};

#define LANES_OP(name, widen, expression)                \
    template <typename T> struct lanes_##name {          \
        static __host__ __device__ T of(T first, T next) \
        {                                                \
            auto a = lanes_type<T>::widen(first);        \
            auto b = lanes_type<T>::widen(next);         \
            return lanes_type<T>::write(expression);     \
        }                                                \
    }
LANES_OP(sum, wrap, a + b);
LANES_OP(prod, wrap, a *b);
LANES_OP(min, read, b < a ? b : a);
LANES_OP(max, read, b > a ? b : a);
LANES_OP(land, read, a != 0 && b != 0);
LANES_OP(lor, read, a != 0 || b != 0);
LANES_OP(band, read, a &b);
LANES_OP(bor, read, a | b);
LANES_OP(bxor, read, a ^ b);

/* min and max of floats take them as bits. */
#define LANES_ORDER(order, type, name, size)                    \
    template <> struct lanes_##order<type> {                    \
        static __host__ __device__ type of(type a, type b)      \
        {                                                       \
            uint##size##_t x, y;                                \
            memcpy(&x, &a, sizeof x);                           \
            memcpy(&y, &b, sizeof y);                           \
            x = name(x, y);                                     \
            memcpy(&a, &x, sizeof a);                           \
            return a;                                           \
        }                                                       \
    }
#define LANES_ORDERS(type, name, size)                  \
    LANES_ORDER(min, type, name##_lesser, size);        \
    LANES_ORDER(max, type, name##_greater, size)
LANES_ORDERS(float, float32, 32);
LANES_ORDERS(double, float64, 64);
LANES_ORDERS(lanes_float16, float16, 16);
LANES_ORDERS(lanes_bfloat16, bfloat16, 16);

/* Floats do not have some operators (redop_count): the code for those is never
 * called, but must compile. */
template <typename T, typename Op>
using lanes_whole =
    typename std::conditional<std::is_integral<T>::value, Op,
                              lanes_sum<T>>::type;

LANES_FN bool
lanes_aligned(const void *a, const void *b, const void *c)
{
    return (((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) & 15) == 0;
}

template <typename T, typename Op>
LANES_FN uint4
lanes_combine_pack(uint4 a, uint4 b)
{
    enum { LANES = sizeof(uint4) / sizeof(T) };
    T x[LANES], y[LANES];
    uint4 result;

    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
    for (int i = 0; i < LANES; i++)
        x[i] = Op::of(x[i], y[i]);
    memcpy(&result, x, sizeof result);
    return result;
}

/* to[i] = op(add[i], from[i]), of n packs.  All loads of a round come before
 * its stores, so that they are under way at once; in the last round, too, which
 * is shorter.  Without the zeros a register would have to keep what the round
 * before loaded. */
template <typename T, typename Op>
LANES_FN void
lanes_combine_packs(uint4 *to, const uint4 *add, const uint4 *from, int64_t n,
                    int thread, int threads)
{
    for (int64_t i = thread; i < n; i += (int64_t)LANES_UNROLL * threads) {
        uint4 x[LANES_UNROLL] = {}, y[LANES_UNROLL] = {};
        for (int u = 0; u < LANES_UNROLL; u++)
            if (i + u * threads < n) {
                x[u] = add[i + u * threads];
                y[u] = from[i + u * threads];
            }
        for (int u = 0; u < LANES_UNROLL; u++)
            if (i + u * threads < n)
                to[i + u * threads] = lanes_combine_pack<T, Op>(x[u], y[u]);
    }
}

template <typename T, typename Op>
LANES_OUT_OF_LINE void
lanes_combine(void *to, const void *add, const void *from, int64_t n,
              int thread, int threads)
{
    const int64_t lanes = sizeof(uint4) / sizeof(T);
    const int64_t packs =
        LANES_PACKS && lanes_aligned(to, add, from) ? n / lanes : 0;
    T *t = (T *)to;
    const T *a = (const T *)add, *f = (const T *)from;

    threads = LANES_THREADS(threads);
    if (LANES_PACKS)
        lanes_combine_packs<T, Op>((uint4 *)to, (const uint4 *)add,
                                   (const uint4 *)from, packs, thread,
                                   threads);
    for (int64_t i = packs * lanes + thread; i < n; i += threads)
        t[i] = Op::of(a[i], f[i]);
}

template <typename T>
LANES_FN void
lanes_combine_by(enum redop op, void *to, const void *add, const void *from,
                 int64_t n, int thread, int threads)
{
#define CASE(...)                                                     \
    lanes_combine<T, __VA_ARGS__>(to, add, from, n, thread, threads); \
    break
    switch (op) {
    case REDOP_SUM:
    case REDOP_AVG: /* adds, and divides at the end */
    case REDOPS:
        CASE(lanes_sum<T>);
    case REDOP_PROD:
        CASE(lanes_prod<T>);
    case REDOP_MIN:
        CASE(lanes_min<T>);
    case REDOP_MAX:
        CASE(lanes_max<T>);
    case REDOP_LAND:
        CASE(lanes_whole<T, lanes_land<T>>);
    case REDOP_LOR:
        CASE(lanes_whole<T, lanes_lor<T>>);
    case REDOP_BAND:
        CASE(lanes_whole<T, lanes_band<T>>);
    case REDOP_BOR:
        CASE(lanes_whole<T, lanes_bor<T>>);
    case REDOP_BXOR:
        CASE(lanes_whole<T, lanes_bxor<T>>);
    }
#undef CASE
}

/* to[i] = from[i], of n packs, in the same way. */
LANES_FN void
lanes_move_packs(uint4 *to, const uint4 *from, int64_t n, int thread,
                 int threads)
{
    for (int64_t i = thread; i < n; i += (int64_t)LANES_UNROLL_MOVE * threads) {
        uint4 x[LANES_UNROLL_MOVE] = {};
        for (int u = 0; u < LANES_UNROLL_MOVE; u++)
            if (i + u * threads < n)
                x[u] = from[i + u * threads];
        for (int u = 0; u < LANES_UNROLL_MOVE; u++)
            if (i + u * threads < n)
                to[i + u * threads] = x[u];
    }
}

/* to[i] = from[i], in bytes. */
LANES_OUT_OF_LINE void
lanes_move(void *to, const void *from, int64_t bytes, int thread, int threads)
{
    const int64_t size = sizeof(uint4);
    const int64_t packs = lanes_aligned(to, from, from) ? bytes / size : 0;
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;

    threads = LANES_THREADS(threads);
    lanes_move_packs((uint4 *)to, (const uint4 *)from, packs, thread, threads);
    for (int64_t i = packs * size + thread; i < bytes; i += threads)
        t[i] = f[i];
}

template <typename T>
LANES_FN T
lanes_quotient(T value, int divisor)
{
    auto wide = lanes_type<T>::read(value);

    return lanes_type<T>::write(wide / (decltype(wide))divisor);
}

/* An overload, because a divisor above 255 does not fit uint8_t. */
LANES_FN uint8_t
lanes_quotient(uint8_t value, int divisor)
{
    return (uint8_t)(value / divisor);
}

/* to[i] = to[i] / divisor; integers truncate. */
template <typename T>
LANES_OUT_OF_LINE void
lanes_divide(void *to, int64_t n, int divisor, int thread, int threads)
{
    T *t = (T *)to;

    for (int64_t i = thread; i < n; i += threads)
        t[i] = lanes_quotient(t[i], divisor);
}

/* The least and the largest value, one that spoils a sum, and the other truth
 * value: the same as in run/kernels.h. */
template <typename T> struct lanes_limits {
    static __host__ __device__ T least() { return write(-INFINITY); }
    static __host__ __device__ T most() { return write(INFINITY); }
    static __host__ __device__ T spoilt(T) { return write(NAN); }
    static __host__ __device__ T negated(T x) { return spoilt(x); }
    static __host__ __device__ T write(float x)
    {
        return lanes_type<T>::write(x);
    }
};
#define LANES_LIMITS(type, smallest, largest)                               \
    template <> struct lanes_limits<type> {                                 \
        static __host__ __device__ type least() { return smallest; }        \
        static __host__ __device__ type most() { return largest; }          \
        static __host__ __device__ type spoilt(type x) { return (type)~x; } \
        static __host__ __device__ type negated(type x) { return !x; }      \
    }
LANES_LIMITS(int32_t, INT32_MIN, INT32_MAX);
LANES_LIMITS(int64_t, INT64_MIN, INT64_MAX);
LANES_LIMITS(uint8_t, 0, UINT8_MAX);

/* Spoils one element so that it shows. */
template <typename T>
LANES_OUT_OF_LINE void
lanes_corrupt(enum redop op, void *to)
{
    typedef lanes_type<T> element;
    T *x = (T *)to;
    T least = lanes_limits<T>::least(), most = lanes_limits<T>::most();

    if (op == REDOP_MIN)
        *x = element::read(*x) != element::read(least) ? least : most;
    else if (op == REDOP_MAX)
        *x = element::read(*x) != element::read(most) ? most : least;
    else if (op == REDOP_LAND || op == REDOP_LOR)
        *x = lanes_limits<T>::negated(*x);
    else
        *x = lanes_limits<T>::spoilt(*x);
}

/* The one place that knows all types: CALL(T) with the type's own T. */
#define LANES_BY_TYPE(type, CALL) \
    switch (type) {               \
    case DTYPE_FLOAT32:           \
        CALL(float);              \
        break;                    \
    case DTYPE_FLOAT64:           \
        CALL(double);             \
        break;                    \
    case DTYPE_FLOAT16:           \
        CALL(lanes_float16);      \
        break;                    \
    case DTYPE_BFLOAT16:          \
        CALL(lanes_bfloat16);     \
        break;                    \
    case DTYPE_INT32:             \
        CALL(int32_t);            \
        break;                    \
    case DTYPE_INT64:             \
        CALL(int64_t);            \
        break;                    \
    default:                      \
        CALL(uint8_t);            \
    }

LANES_OUT_OF_LINE void
lanes_combine_any(enum dtype type, enum redop op, void *to, const void *add,
                  const void *from, int64_t n, int thread, int threads)
{
#define CALL(T) lanes_combine_by<T>(op, to, add, from, n, thread, threads)
    LANES_BY_TYPE(type, CALL)
#undef CALL
}

LANES_OUT_OF_LINE void
lanes_divide_any(enum dtype type, void *to, int64_t n, int divisor,
                 int thread, int threads)
{
#define CALL(T) lanes_divide<T>(to, n, divisor, thread, threads)
    LANES_BY_TYPE(type, CALL)
#undef CALL
}

LANES_OUT_OF_LINE void
lanes_corrupt_any(enum dtype type, enum redop op, void *to)
{
#define CALL(T) lanes_corrupt<T>(op, to)
    LANES_BY_TYPE(type, CALL)
#undef CALL
}

#endif
