/* SPDX-License-Identifier: MIT */
#include <sched.h>

#include "base/clock.h"
#include "workers/nccl/nccl_state.h"

void
nccl_meet(struct nccl_process *me)
{
    uint64_t *arrived = &me->job->shared->arrived;
    uint64_t all = (uint64_t)me->job->s->nranks * ++me->meetings;

    __atomic_add_fetch(arrived, 1, __ATOMIC_ACQ_REL);
    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < all)
        sched_yield();
}

bool
nccl_time(struct nccl_process *me, struct err *err)
{
    int64_t begin_ns;

    nccl_meet(me);
    begin_ns = clock_ns();
    for (int i = 0; i < me->job->shared->calls; i++)
        for (int step = 1; step <= me->job->s->nsteps + 1; step++)
            if (!nccl_do_step(me, step, err))
                return false;
    if (!nccl_wait(me, false, err))
        return false;
    me->post->timed_ns = clock_ns() - begin_ns;
    return true;
}
