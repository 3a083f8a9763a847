/* SPDX-License-Identifier: MIT */
/* Checks of a launch on the fake GPU, whether run/rank.h or PTX runs in it. */
#include "fake_kernels.h"

#include <string.h>

#include "base/clock.h"

int64_t
fake_time(int gpu)
{
    enum { TICK_NS = 32 };

    return (clock_ns() + (gpu + 1) * INT64_C(1000000000000)) / TICK_NS *
           TICK_NS;
}

/* Only their addresses are used. */
void
kernel_ranks(struct kernel_call call)
{
    (void)call;
}

void
kernel_clock_tell(struct kernel_clock call)
{
    (void)call;
}

/* Whether the GPU reaches all that the ranks of this launch read and write. */
static bool
reaches_all(const struct fake_launch *l)
{
    const struct rank_call *c = &l->ranks.ranks_call;
    bool all = fake_reaches(l->gpu, l->ranks.stop);

    for (int rank = 0; all && rank < c->nranks; rank++)
        all = fake_reaches(l->gpu, l->ranks.counters[rank]);
    for (int b = 0; all && b < l->blocks; b += c->nblocks) {
        int rank = l->ranks.ranks[b].index;
        for (size_t i = c->first[rank]; i < c->first[rank + 1]; i++)
            for (int k = 0; all && k < c->instrs[i].nslots; k++) {
                const struct rank_move *m =
                    &c->moves[c->instrs[i].first_slot + (uint32_t)k];
                all = m->length <= 0 || (fake_reaches(l->gpu, m->dst) &&
                                         fake_reaches(l->gpu, m->add) &&
                                         fake_reaches(l->gpu, m->src));
            }
    }
    return all;
}

bool
fake_kernel_takes(struct fake_launch *l, const void *argument)
{
    if (fake_is_clock(l)) {
        memcpy(&l->clock, argument, sizeof l->clock);
        return true;
    }
    if (fake_is_work(l)) {
        memcpy(&l->work, argument, sizeof l->work);
        return fake_reaches(l->gpu, l->work.to) &&
               fake_reaches(l->gpu, l->work.add) &&
               fake_reaches(l->gpu, l->work.from);
    }
    memcpy(&l->ranks, argument, sizeof l->ranks);
    return reaches_all(l);
}

