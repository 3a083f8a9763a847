/* SPDX-License-Identifier: MIT */
/* Ring all-gather and reduce-scatter, the halves of a ring all-reduce
 * (allreduce_ring.c).
 *
 * All-gather: each rank's data travels once round the ring, and every rank
 * keeps a copy as it passes.  In step k (from 0) rank i sends chunk i-k and
 * receives chunk i-1-k, modulo N.  The first chunk is sent from the input, so
 * that out of place nobody waits for the sender's own copy.
 *
 * Reduce-scatter: every chunk travels once round the ring, grows by one
 * contribution per step and ends, complete, at its owner.  In step k rank i
 * sends chunk i-1-k and receives chunk i-2-k.
 *
 * N-1 steps; every rank sends the least possible, and all links are busy all
 * the time.  They win for large data.
 *
 * Source: NCCL, src/device/all_gather.h and src/device/reduce_scatter.h
 * (runRing). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static void
allgather_ring_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);

    for (int k = 0; k < n - 1; k++) {
        schedule_step(s, N_("all-gather"));
        for (int i = 0; i < n; i++) {
            int chunk = modulo(i - k, n);
            work_move(s, TRANSFER_COPY, i,
                      k == 0 ? schedule_input(s, i).first : work + chunk,
                      (i + 1) % n, work + chunk, 1);
        }
    }
}

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

const struct algorithm allgather_ring = {
    .name = N_("ring"),
    .collective = "allgather",
    .topology = TOPOLOGY_RING,
    .build = allgather_ring_build,
    .path = coll_path_others,
    .steps_formula = "N-1",
    .bytes_formula = "(N-1) S",
    .idea = N_("everyone's data travels once round the ring"),
    .when = N_("large data: neighbours only, all links busy all the time"),
    .nccl = "Ring",
    .source = "NCCL, src/device/all_gather.h",
};

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
