/* SPDX-License-Identifier: MIT */
/* For benchmarks: how often a call is made for one, medians, and how fast this
 * machine is, from core to core and to memory. */
#ifndef TESTS_MACHINE_SPEED_H
#define TESTS_MACHINE_SPEED_H

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/kernels.h"
#include "run/pool.h"

/* Calls in a row: `most` small ones. */
static inline int
calls_for(int64_t bytes, int most)
{
    return bytes <= 1 << 10   ? most
           : bytes <= 32 << 10 ? most / 5
           : bytes <= 1 << 20  ? 10
                               : 1;
}

static inline int
median_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Sorts the values; of an even number it returns the larger of the middle
 * two. */
static inline double
median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, median_by_value);
    return values[n / 2];
}

/* Nanoseconds of one way from core to core, half a round trip. */
struct hop {
    uint64_t ping __attribute__((aligned(128)));
    uint64_t pong __attribute__((aligned(128)));
};
enum { HOPS = 20000 };

static inline void *
hop_answer(void *arg)
{
    struct hop *h = arg;

    for (uint64_t i = 1; i <= HOPS; i++) {
        while (__atomic_load_n(&h->ping, __ATOMIC_ACQUIRE) != i)
            continue;
        __atomic_store_n(&h->pong, i, __ATOMIC_RELEASE);
    }
    return NULL;
}

static inline double
hop_ns(void)
{
    struct hop h = {0};
    pthread_t other;
    int64_t start;

    if (pool_cores() < 2 || pthread_create(&other, NULL, hop_answer, &h) != 0)
        return NAN;
    start = clock_ns();
    for (uint64_t i = 1; i <= HOPS; i++) {
        __atomic_store_n(&h.ping, i, __ATOMIC_RELEASE);
        while (__atomic_load_n(&h.pong, __ATOMIC_ACQUIRE) != i)
            continue;
    }
    start = clock_ns() - start;
    pthread_join(other, NULL);
    return (double)start / HOPS / 2;
}

/* Bytes per ns that one thread reads and writes in d += a, beyond the
 * caches. */
static inline double
add_speed(void)
{
    enum { BYTES = 64 << 20 };
    struct kernels k = kernels_for(DTYPE_FLOAT32, REDOP_SUM);
    float *d = mem_new_aligned(BYTES, 1), *a = mem_new_aligned(BYTES, 1);
    double times[5];

    for (int i = 0; i < 5; i++) {
        int64_t start = clock_ns();
        k.combine(d, d, a, BYTES / 4);
        times[i] = (double)(clock_ns() - start);
    }
    free(d);
    free(a);
    return 3.0 * BYTES / median(times, 5);
}

#endif
