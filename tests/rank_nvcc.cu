/* SPDX-License-Identifier: MIT */
/* The rank machine as a kernel's body: compiled wherever there is nvcc, so
 * that run/rank.h stays CUDA as well as C.  Nothing launches it yet. */
#include <cstdint>

__device__ static uint64_t
load_acquire(const uint64_t *p)
{
    uint64_t value;

    asm volatile("ld.acquire.sys.u64 %0, [%1];"
                 : "=l"(value) : "l"(p) : "memory");
    return value;
}

__device__ static void
store_release(uint64_t *p, uint64_t value)
{
    asm volatile("st.release.sys.u64 [%0], %1;"
                 : : "l"(p), "l"(value) : "memory");
}

__device__ static int64_t
now_ns()
{
    uint64_t t;

    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return (int64_t)t;
}

#define EACH(i, n) \
    for (int64_t i = threadIdx.x; i < (n); i += blockDim.x)

__device__ static void
move(void *to, const void *from, int64_t bytes)
{
    EACH(i, bytes)
        ((unsigned char *)to)[i] = ((const unsigned char *)from)[i];
}

__device__ static void
combine(void *to, const void *a, const void *b, int64_t n)
{
    EACH(i, n)
        ((float *)to)[i] = ((const float *)a)[i] + ((const float *)b)[i];
}

__device__ static void
divide(void *to, int64_t n, int divisor)
{
    EACH(i, n)
        ((float *)to)[i] /= (float)divisor;
}

#define RANK_FN static __device__ inline
#define RANK_RARE RANK_FN
#define RANK_LOAD(p) load_acquire(p)
#define RANK_STORE(p, value) store_release(p, value)
#define RANK_LEADER (threadIdx.x == 0)
#define RANK_UNIFORM(condition) \
    (__syncthreads_or(RANK_LEADER && (condition)) != 0)
#define RANK_SYNC() __syncthreads()
#define RANK_NOW() now_ns()
#define RANK_MOVE(c, to, from, n) move(to, from, (n) * (c)->element)
#define RANK_COMBINE(c, to, summand, from, n) combine(to, summand, from, n)
#define RANK_DIVIDE(c, to, n) divide(to, n, (c)->nranks)
#define RANK_CORRUPT(c, to) \
    do { if (RANK_LEADER) *(float *)(to) = NAN; } while (0)
#include "run/rank.h"

extern "C" __global__ void
rank_kernel(const struct rank_call *c, struct rank *ranks, bool watched)
{
    struct rank r = ranks[blockIdx.x]; /* every thread its own, all alike */

    while (rank_advance(c, &r, watched) == RANK_WAITS)
        continue;
    if (RANK_LEADER)
        ranks[blockIdx.x] = r;
}
