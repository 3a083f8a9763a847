/* SPDX-License-Identifier: MIT */
#include "workers/cuda/gpu_clock.h"

#include <sched.h>

#include "base/clock.h"
#include "workers/cuda/cuda_call.h"
#include "workers/cuda/kernels.h"

enum {
    ROUNDS = 16,
    SPIN_NS = 20000,
    ANSWER_NS = 2000000000, /* the longest that either side waits */
};

/* The clock according to one round: the host asked at asked_ns and saw the
 * answer at seen_ns; answer_ns is the GPU's time. */
static struct gpu_clock
judge_round(int64_t asked_ns, int64_t seen_ns, int64_t answer_ns,
            int64_t tick_ns)
{
    int64_t half = (seen_ns - asked_ns + 1) / 2;

    return (struct gpu_clock){asked_ns + half - answer_ns, half + tick_ns};
}

static bool
ask(struct gpu_clock_desk *desk, uint64_t round, struct gpu_clock *clock,
    struct err *err)
{
    int64_t begin = clock_ns(), now;

    __atomic_store_n(&desk->asked, round, __ATOMIC_RELEASE);
    while (__atomic_load_n(&desk->answered, __ATOMIC_ACQUIRE) < round) {
        now = clock_ns();
        if (now - begin > SPIN_NS)
            sched_yield(); /* this round will not be the best */
        if (now - begin > ANSWER_NS)
            return err_set(err, "the GPU does not run what it is given: is "
                           "another program keeping it (nvidia-smi shows "
                           "that), or does a profiler or WSL make launches "
                           "block?");
    }
    now = clock_ns();
    *clock = judge_round(begin, now, (int64_t)desk->time_ns,
                         (int64_t)desk->tick_ns);
    return true;
}

/* The first round does not count: it also waits for the kernel to start. */
static bool
ask_all(struct gpu_clock_desk *desk, struct gpu_clock *best, struct err *err)
{
    struct gpu_clock clock;

    *best = (struct gpu_clock){0, INT64_MAX};
    for (uint64_t round = 1; round <= ROUNDS; round++) {
        if (!ask(desk, round, &clock, err))
            return false;
        if (round > 1 && clock.uncertainty_ns < best->uncertainty_ns)
            *best = clock;
    }
    return true;
}

bool
gpu_clock_compare(cudaStream_t stream, struct gpu_clock_desk *desk,
                  struct gpu_clock *clock, struct err *err)
{
    struct kernel_clock call = {&desk->asked, &desk->answered, &desk->time_ns,
                                &desk->tick_ns, ROUNDS, ANSWER_NS, &desk->stop};
    void *arguments[] = {&call};
    bool ok;

    *desk = (struct gpu_clock_desk){0};
    if (!cuda_ok(cudaLaunchKernel((const void *)kernel_clock_tell,
                                  (dim3){1, 1, 1}, (dim3){1, 1, 1}, arguments,
                                  0, stream),
                 "comparing clocks", err))
        return false;
    ok = ask_all(desk, clock, err);
    __atomic_store_n(&desk->stop, 1, __ATOMIC_RELEASE);
    return ok && cuda_ok(cudaStreamSynchronize(stream), "comparing clocks",
                         err);
}
