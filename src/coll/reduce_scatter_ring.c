/* SPDX-License-Identifier: MIT */
/* Ring reduce-scatter.
 *
 * Every chunk travels once round the ring, grows by one contribution per step
 * and ends, complete, at its owner.  N-1 steps; every rank sends the least
 * possible, and all links are busy all the time.  Wins for large data.
 *
 * In step k (from 0) rank i sends chunk i-1-k and receives chunk i-2-k, modulo
 * N.
 *
 * Source: NCCL, src/device/reduce_scatter.h (runRing). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static void
reduce_scatter_ring_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);

    for (int k = 0; k < n - 1; k++) {
        schedule_step(s, N_("reduce-scatter"));
        for (int i = 0; i < n; i++)
            work_reduce(s, i, (i + 1) % n, work + modulo(i - 1 - k, n), 1);
    }
    work_end(s, work);
}

const struct algorithm reduce_scatter_ring = {
    .name = N_("ring"),
    .collective = "reduce-scatter",
    .topology = TOPOLOGY_RING,
    .scratch = work_scratch,
    .build = reduce_scatter_ring_build,
    .path = coll_path_others,
    .steps_formula = "N-1",
    .bytes_formula = "(N-1)/N S",
    .idea = N_("chunks travel once round the ring and grow on their way to "
               "their owner"),
    .when = N_("large data: neighbours only, all links busy all the time"),
    .nccl = "Ring",
    .source = "NCCL, src/device/reduce_scatter.h",
};
