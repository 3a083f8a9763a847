/* SPDX-License-Identifier: MIT */
/* The arithmetic of a thread block, 16 bytes an access: C++, for nvcc.
 *
 * Every function is one thread's share, `thread` of `threads`.  Pointers on
 * boundaries of 16 bytes are the rule (workers/gpu_slots.h); others are served
 * element by element.  Where they are, a thread writes the same elements in
 * calls with the same n, so a block may work on them twice without a barrier in
 * between.
 *
 * Functions run on the host as well, which is how tests/lanes.cu sees that they
 * do what run/kernels.h does. */
#ifndef WORKERS_LANES_H
#define WORKERS_LANES_H

#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/dtype.h"

#define LANES_FN static inline __host__ __device__
#ifdef __CUDA_ARCH__
#define LANES_OUT_OF_LINE static __device__ __noinline__
#else
#define LANES_OUT_OF_LINE LANES_FN
#endif

enum { LANES_UNROLL = 4 }; /* accesses under way at once */

/* Integers add and multiply as unsigned ones, whose overflow wraps. */
template <typename T> struct lanes_wide { typedef T type; };
template <> struct lanes_wide<int32_t> { typedef uint32_t type; };
template <> struct lanes_wide<int64_t> { typedef uint64_t type; };

template <typename T> struct lanes_sum {
    static __host__ __device__ T of(T a, T b)
    {
        typedef typename lanes_wide<T>::type wide;
        return (T)((wide)a + (wide)b);
    }
};
template <typename T> struct lanes_prod {
    static __host__ __device__ T of(T a, T b)
    {
        typedef typename lanes_wide<T>::type wide;
        return (T)((wide)a * (wide)b);
    }
};
template <typename T> struct lanes_min {
    static __host__ __device__ T of(T a, T b) { return b < a ? b : a; }
};
template <typename T> struct lanes_max {
    static __host__ __device__ T of(T a, T b) { return b > a ? b : a; }
};

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

/* t[i] = op(a[i], f[i]), for as many of the first n elements as make full
 * rounds, in which each thread does UNROLL packs. Returns how many. */
template <typename T, typename Op, int UNROLL>
LANES_FN int64_t
lanes_combine_packs(T *t, const T *a, const T *f, int64_t n, int thread,
                    int threads)
{
    const int64_t stride = (int64_t)UNROLL * threads;
    const int64_t lanes = sizeof(uint4) / sizeof(T);
    const int64_t rounds = n / lanes / stride;
    const uint4 *add = (const uint4 *)a + thread;
    const uint4 *from = (const uint4 *)f + thread;
    uint4 *to = (uint4 *)t + thread;

    for (int64_t left = rounds; left > 0; left--) {
        uint4 x[UNROLL], y[UNROLL];
        for (int u = 0; u < UNROLL; u++) {
            x[u] = add[u * threads];
            y[u] = from[u * threads];
        }
        for (int u = 0; u < UNROLL; u++)
            to[u * threads] = lanes_combine_pack<T, Op>(x[u], y[u]);
        to += stride;
        add += stride;
        from += stride;
    }
    return rounds * stride * lanes;
}

template <typename T, typename Op>
LANES_OUT_OF_LINE void
lanes_combine(void *to, const void *add, const void *from, int64_t n,
              int thread, int threads)
{
    int64_t done = 0;
    T *t = (T *)to;
    const T *a = (const T *)add, *f = (const T *)from;

    if (lanes_aligned(to, add, from)) {
        done = lanes_combine_packs<T, Op, LANES_UNROLL>(t, a, f, n, thread,
                                                        threads);
        done += lanes_combine_packs<T, Op, 1>(t + done, a + done, f + done,
                                              n - done, thread, threads);
    }
    for (int64_t i = done + thread; i < n; i += threads)
        t[i] = Op::of(a[i], f[i]);
}

template <typename T>
LANES_FN void
lanes_combine_by(enum redop op, void *to, const void *add, const void *from,
                 int64_t n, int thread, int threads)
{
    switch (op) {
    case REDOP_PROD:
        lanes_combine<T, lanes_prod<T>>(to, add, from, n, thread, threads);
        break;
    case REDOP_MIN:
        lanes_combine<T, lanes_min<T>>(to, add, from, n, thread, threads);
        break;
    case REDOP_MAX:
        lanes_combine<T, lanes_max<T>>(to, add, from, n, thread, threads);
        break;
    default: /* avg adds, and divides in the end */
        lanes_combine<T, lanes_sum<T>>(to, add, from, n, thread, threads);
    }
}

/* The same of t[i] = f[i]. */
template <int UNROLL>
LANES_FN int64_t
lanes_move_packs(unsigned char *t, const unsigned char *f, int64_t n,
                 int thread, int threads)
{
    const int64_t stride = (int64_t)UNROLL * threads;
    const int64_t rounds = n / (int64_t)sizeof(uint4) / stride;
    const uint4 *from = (const uint4 *)f + thread;
    uint4 *to = (uint4 *)t + thread;

    for (int64_t left = rounds; left > 0; left--) {
        uint4 x[UNROLL];
        for (int u = 0; u < UNROLL; u++)
            x[u] = from[u * threads];
        for (int u = 0; u < UNROLL; u++)
            to[u * threads] = x[u];
        to += stride;
        from += stride;
    }
    return rounds * stride * (int64_t)sizeof(uint4);
}

/* to[i] = from[i], in bytes. */
LANES_OUT_OF_LINE void
lanes_move(void *to, const void *from, int64_t bytes, int thread, int threads)
{
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;
    int64_t done = 0;

    if (lanes_aligned(to, from, from)) {
        done = lanes_move_packs<LANES_UNROLL>(t, f, bytes, thread, threads);
        done += lanes_move_packs<1>(t + done, f + done, bytes - done, thread,
                                    threads);
    }
    for (int64_t i = done + thread; i < bytes; i += threads)
        t[i] = f[i];
}

template <typename T>
LANES_FN T
lanes_quotient(T value, int divisor)
{
    return (T)(value / (T)divisor);
}

/* Preferred for its type, which a divisor above 255 does not fit. */
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

template <typename T> struct lanes_limits;
template <> struct lanes_limits<float> {
    static __host__ __device__ float least() { return -INFINITY; }
    static __host__ __device__ float most() { return INFINITY; }
    static __host__ __device__ float spoilt(float) { return NAN; }
};
template <> struct lanes_limits<double> {
    static __host__ __device__ double least() { return -(double)INFINITY; }
    static __host__ __device__ double most() { return (double)INFINITY; }
    static __host__ __device__ double spoilt(double) { return (double)NAN; }
};
#define LANES_LIMITS(type, smallest, largest)                               \
    template <> struct lanes_limits<type> {                                 \
        static __host__ __device__ type least() { return smallest; }        \
        static __host__ __device__ type most() { return largest; }          \
        static __host__ __device__ type spoilt(type x) { return (type)~x; } \
    }
LANES_LIMITS(int32_t, INT32_MIN, INT32_MAX);
LANES_LIMITS(int64_t, INT64_MIN, INT64_MAX);
LANES_LIMITS(uint8_t, 0, UINT8_MAX);

/* Spoils one element, as run/kernels.h does. */
template <typename T>
LANES_OUT_OF_LINE void
lanes_corrupt(enum redop op, void *to)
{
    typedef lanes_limits<T> limits;
    T *x = (T *)to;

    if (op == REDOP_MIN)
        *x = *x > limits::least() ? limits::least() : limits::most();
    else if (op == REDOP_MAX)
        *x = *x < limits::most() ? limits::most() : limits::least();
    else
        *x = limits::spoilt(*x);
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
    case DTYPE_INT32:             \
        CALL(int32_t);            \
        break;                    \
    case DTYPE_INT64:             \
        CALL(int64_t);            \
        break;                    \
    default:                      \
        CALL(uint8_t);            \
    }

LANES_FN void
lanes_combine_any(enum dtype type, enum redop op, void *to, const void *add,
                  const void *from, int64_t n, int thread, int threads)
{
#define CALL(T) lanes_combine_by<T>(op, to, add, from, n, thread, threads)
    LANES_BY_TYPE(type, CALL)
#undef CALL
}

LANES_FN void
lanes_divide_any(enum dtype type, void *to, int64_t n, int divisor,
                 int thread, int threads)
{
#define CALL(T) lanes_divide<T>(to, n, divisor, thread, threads)
    LANES_BY_TYPE(type, CALL)
#undef CALL
}

LANES_FN void
lanes_corrupt_any(enum dtype type, enum redop op, void *to)
{
#define CALL(T) lanes_corrupt<T>(op, to)
    LANES_BY_TYPE(type, CALL)
#undef CALL
}

#endif
