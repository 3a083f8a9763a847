/* SPDX-License-Identifier: MIT */
#include "fake_kernels.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/kernels.h"

struct ops {
    struct kernels kernels;
    int64_t epoch_ns;
    int gpu;
    struct rank_counter *const *counters;
};

#define OPS(c) ((const struct ops *)(c)->ops)
#define RANK_FN static inline
#define RANK_RARE RANK_FN
#define LOAD(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define RANK_COUNTERS(c, rank) (OPS(c)->counters[rank])
#define RANK_REACHED(c, p, target) (LOAD(p) >= (target))
#define RANK_RELEASE(c, host) ((void)0) /* the stores are releases */
#define RANK_STORE(p, value) __atomic_store_n(p, value, __ATOMIC_RELEASE)
#define RANK_UNIFORM(one, condition) ((void)(one), (condition))
#define RANK_SYNC() ((void)0)
#define RANK_LEADER true
#define RANK_SCOUT true
#define RANK_NOW() (fake_time(OPS(c)->gpu) + OPS(c)->epoch_ns)
#define RANK_MOVE(c, to, from, n) \
    memcpy(to, from, (size_t)(n) * (size_t)(c)->element)
#define RANK_COMBINE(c, to, add, from, n) \
    OPS(c)->kernels.combine(to, add, from, n)
#define RANK_DIVIDE(c, to, n) OPS(c)->kernels.divide(to, n, (c)->nranks)
#define RANK_CORRUPT(c, to) OPS(c)->kernels.corrupt(to)
#include "run/rank.h"

/* Runs block `block` of all ranks to the end. Returns false if the host stopped
 * it. */
static bool
run_blocks(const struct fake_launch *l, const struct rank_call *c, int block)
{
    int ranks = l->blocks / c->nblocks, left = ranks;

    while (left > 0) {
        if (!l->hangs && LOAD(l->ranks.stop) != 0)
            return false;
        left = ranks;
        for (int i = 0; i < ranks; i++)
            left -= rank_advance(c, &l->ranks.ranks[i * c->nblocks + block],
                                 c->ledger != NULL) == RANK_DONE;
        if (left > 0)
            usleep(1);
    }
    return true;
}

/* A block waits only for blocks of the same number, so those of other numbers
 * may be far ahead or far back: here, as far as possible. */
static void
run_ranks(const struct fake_launch *l)
{
    struct ops ops = {kernels_for(l->ranks.type, l->ranks.op),
                      l->ranks.epoch_ns, l->gpu, l->ranks.counters};
    struct rank_call call = l->ranks.ranks_call;
    int n = call.nblocks;

    call.ops = &ops;
    for (int b = 0; b < n; b++)
        if (!run_blocks(l, &call, l->last_first ? n - 1 - b : b))
            return;
}

/* As in workers/cuda/kernels.cu. */
static bool
is_asked(const struct fake_launch *l, uint64_t round)
{
    int64_t begin = fake_time(l->gpu);

    while (LOAD(&l->clock.desk->asked) < round) {
        if (LOAD(&l->clock.desk->stop) != 0 ||
            fake_time(l->gpu) - begin > (int64_t)l->clock.patience_ns)
            return false;
        sched_yield();
    }
    return true;
}

static void
run_clock(const struct fake_launch *l)
{
    const struct kernel_clock *c = &l->clock;

    c->desk->tick_ns = 32;
    for (uint64_t round = 1; round <= c->rounds && is_asked(l, round);
         round++) {
        c->desk->time_ns = (uint64_t)fake_time(l->gpu);
        RANK_STORE(&c->desk->answered, round);
    }
}

void
fake_kernel(struct fake_launch *l)
{
    if (fake_is_clock(l))
        run_clock(l);
    else if (fake_is_work(l))
        fake_work(&l->work);
    else
        run_ranks(l);
}
