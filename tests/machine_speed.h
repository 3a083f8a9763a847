/* SPDX-License-Identifier: MIT */
/* How fast this machine is, for benchmarks: what it takes from core to core,
 * and to memory. */
#ifndef TESTS_MACHINE_SPEED_H
#define TESTS_MACHINE_SPEED_H

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "median.h"
#include "run/kernels.h"
#include "run/pool.h"

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
