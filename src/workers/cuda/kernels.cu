/* SPDX-License-Identifier: MIT */
/* The kernels of collviz-cuda: the rank machine on thread blocks. */
#include "workers/cuda/kernels.h"
#include "workers/cuda/lanes.h"
#include "workers/cuda/launch.h"

/* As PTX orders memory: a flag is stored with release by one thread, behind a barrier of its
 * block, and loaded with acquire by one thread, before a barrier of its own;
 * plain accesses of the other threads are ordered by that.  The scope is the
 * system: a rank waits for other GPUs and for the host alike. */
static __device__ uint64_t
load_acquire(const uint64_t *p)
{
    uint64_t value;

    asm volatile("ld.acquire.sys.u64 %0, [%1];"
                 : "=l"(value) : "l"(p) : "memory");
    return value;
}

/* For what orders nothing else. */
static __device__ uint64_t
load_relaxed(const uint64_t *p)
{
    uint64_t value;

    asm volatile("ld.relaxed.sys.u64 %0, [%1];"
                 : "=l"(value) : "l"(p) : "memory");
    return value;
}

static __device__ void
store_release(uint64_t *p, uint64_t value)
{
    asm volatile("st.release.sys.u64 [%0], %1;"
                 : : "l"(p), "l"(value) : "memory");
}

static __device__ int64_t
global_ns()
{
    uint64_t t;

    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return (int64_t)t;
}

/* ranks_call is kernel_call's first member. */
#define CALL(c) ((const struct kernel_call *)(c))
#define THREAD (int)threadIdx.x, (int)blockDim.x

#define RANK_FN static __device__ __forceinline__
#define RANK_RARE static __device__ __noinline__
#define RANK_LOAD(p) load_acquire(p)
#define RANK_STORE(p, value) store_release(p, value)
#define RANK_LEADER (threadIdx.x == 0)
#define RANK_UNIFORM(condition) \
    (__syncthreads_or(RANK_LEADER && (condition)) != 0)
#define RANK_SYNC() __syncthreads()
#define RANK_NOW() (global_ns() + CALL(c)->epoch_ns)
#define RANK_MOVE(c, to, from, n) \
    lanes_move(to, from, (n) * (c)->element, THREAD)
#define RANK_COMBINE(c, to, summand, from, n) \
    lanes_combine_any(CALL(c)->type, CALL(c)->op, to, summand, from, n, THREAD)
#define RANK_DIVIDE(c, to, n) \
    lanes_divide_any(CALL(c)->type, to, n, (c)->nranks, THREAD)
#define RANK_CORRUPT(c, to)                                        \
    do {                                                           \
        __syncthreads(); /* others have moved some of its bytes */ \
        if (RANK_LEADER)                                           \
            lanes_corrupt_any(CALL(c)->type, CALL(c)->op, to);     \
    } while (0)
#include "run/rank.h"

/* Every so many turns of waiting a block looks whether it is to give up: the
 * flag is in the host's memory, a bus away. */
enum { TURNS_A_LOOK = 64 };

/* Plain and watched in one: ptxas would work on everything twice. */
KERNEL __launch_bounds__(LAUNCH_THREADS, 3) void
kernel_ranks(KERNEL_ARGUMENT(struct kernel_call) call)
{
    struct rank r = call.ranks[blockIdx.x]; /* each thread's, all alike */
    bool watched = call.ranks_call.ledger != NULL;

    for (unsigned turn = 1;
         rank_advance(&call.ranks_call, &r, watched) == RANK_WAITS; turn++)
        if (turn % TURNS_A_LOOK == 0 &&
            RANK_UNIFORM(load_relaxed(call.stop) != 0))
            return;
}

/* The least step of the clock, seen in some. */
static __device__ uint64_t
least_tick()
{
    enum { STEPS = 8 };
    int64_t least = INT64_MAX, last = global_ns();

    for (int i = 0; i < STEPS; i++) {
        int64_t now;
        while ((now = global_ns()) == last)
            continue;
        if (now - last < least)
            least = now - last;
        last = now;
    }
    return (uint64_t)least;
}

KERNEL void
kernel_clock_tell(KERNEL_ARGUMENT(struct kernel_clock) call)
{
    *call.tick_ns = least_tick();
    for (uint64_t round = 1; round <= call.rounds; round++) {
        while (load_acquire(call.asked) < round)
            if (load_relaxed(call.stop) != 0)
                return;
        *call.time_ns = (uint64_t)global_ns();
        store_release(call.answered, round);
    }
}
