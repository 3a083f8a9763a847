/* SPDX-License-Identifier: MIT */
/* The kernels of collviz-cuda: the rank machine on thread blocks. */
#include "workers/cuda/kernels.h"
#include "workers/cuda/placement.h"
#define LANES_THREADS(threads) LAUNCH_THREADS
#include "workers/cuda/lanes.h"

/* How PTX orders memory: all threads of a block store; a barrier; one thread
 * fences and stores a flag.  One thread of another block loads the flag with
 * acquire; a barrier; all its threads load.  The scope of the fence and the
 * load must cover both sides: the GPU, or the system where another GPU or the
 * host is one of them. */
#define LOAD(name, kind)                                     \
    static __device__ uint64_t name(const uint64_t *p)       \
    {                                                        \
        uint64_t value;                                      \
        asm volatile("ld." kind ".u64 %0, [%1];"             \
                     : "=l"(value) : "l"(p) : "memory");     \
        return value;                                        \
    }
LOAD(load_acquire_gpu, "acquire.gpu")
LOAD(load_acquire, "acquire.sys")
LOAD(load_relaxed, "relaxed.sys") /* a flag that orders nothing else */

#define STORE(name, kind)                                    \
    static __device__ void name(uint64_t *p, uint64_t value) \
    {                                                        \
        asm volatile("st." kind ".u64 [%0], %1;"             \
                     : : "l"(p), "l"(value) : "memory");     \
    }
STORE(store_relaxed, "relaxed.sys") /* a flag, after a fence */
STORE(store_release, "release.sys")

static __device__ void
fence_memory(bool gpu)
{
    if (gpu)
        asm volatile("fence.acq_rel.gpu;" : : : "memory");
    else
        asm volatile("fence.acq_rel.sys;" : : : "memory");
}

/* Whether a counter has come to `target`.  One thread looks several times, for
 * the whole block has to meet before it can look again. */
static __device__ bool
has_reached(const uint64_t *counter, uint64_t target, bool gpu)
{
    enum { LOOKS = 16 };

#pragma unroll 1
    for (int i = 0; i < LOOKS; i++)
        if ((gpu ? load_acquire_gpu(counter) : load_acquire(counter)) >=
            target)
            return true;
    return false;
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
#define THREAD (int)threadIdx.x, LAUNCH_THREADS

#define RANK_FN static __device__ __forceinline__
#define RANK_RARE static __device__ __noinline__
#define RANK_COUNTERS(c, rank) (CALL(c)->counters[rank])
#define RANK_REACHED(c, p, target) has_reached(p, target, CALL(c)->alone)
#define RANK_RELEASE(c, host) fence_memory(CALL(c)->alone && !(host))
#define RANK_STORE(p, value) store_relaxed(p, value)
#define RANK_LEADER (threadIdx.x == 0)
#define RANK_SCOUT (threadIdx.x == LAUNCH_THREADS - 1) /* in another warp */
#define RANK_UNIFORM(one, condition) \
    (__syncthreads_or((one) && (condition)) != 0)
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

/* A waiting block checks only every so many turns whether it has to give up,
 * since that flag is in host memory, across a bus. */
enum { TURNS_A_LOOK = 16 };

/* Plain and watched runs share one kernel: ptxas takes as long for each. */
KERNEL __launch_bounds__(LAUNCH_THREADS, 3) void
kernel_ranks(KERNEL_ARGUMENT(struct kernel_call) call)
{
    struct rank r = call.ranks[blockIdx.x]; /* one for each thread, all equal */
    bool watched = call.ranks_call.ledger != NULL;

    for (unsigned turn = 1;
         rank_advance(&call.ranks_call, &r, watched) == RANK_WAITS; turn++)
        if (turn % TURNS_A_LOOK == 0 &&
            RANK_UNIFORM(RANK_LEADER, load_relaxed(call.stop) != 0))
            return;
}

/* The smallest of a few steps by which the clock advances. */
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

/* Waits for question `round`.  Returns false if the kernel has to give up: the
 * host said so, or has been silent for so long that it must be waiting for the
 * end of this kernel (launches block under a profiler, or on WSL). */
static __device__ bool
is_asked(const struct kernel_clock *call, uint64_t round)
{
    int64_t begin = global_ns();

    while (load_acquire(&call->desk->asked) < round)
        if (load_relaxed(&call->desk->stop) != 0 ||
            global_ns() - begin > (int64_t)call->patience_ns)
            return false;
    return true;
}

KERNEL void
kernel_clock_tell(KERNEL_ARGUMENT(struct kernel_clock) call)
{
    call.desk->tick_ns = least_tick();
    for (uint64_t round = 1; round <= call.rounds && is_asked(&call, round);
         round++) {
        call.desk->time_ns = (uint64_t)global_ns();
        store_release(&call.desk->answered, round);
    }
}
