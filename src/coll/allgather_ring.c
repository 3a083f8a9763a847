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

/* Sums begin with the chunk of the rank before. */
static void
ring_build(struct schedule *s, const struct coll_options *o)
{
    bool adds = s->collective->reduces;
    int n = o->nranks, work = work_begin(s);

    for (int k = adds; k < n - 1 + adds; k++) {
        schedule_step(s, s->collective->title);
        for (int i = 0; i < n; i++) {
            int slot = work + modulo(i - k, n);
            work_move(s, adds ? TRANSFER_REDUCE : TRANSFER_COPY, i,
                      k == 0 ? schedule_input(s, i).first : slot, (i + 1) % n,
                      slot, 1);
        }
    }
    work_end(s, work);
}

const struct algorithm allgather_ring = {
    .name = N_("ring"),
    .collective = "allgather",
    .topology = TOPOLOGY_RING,
    .build = ring_build,
    .path = coll_path_others,
    .formulas = {"N-1", "(N-1) S"},
    .idea = N_("everyone's data travels once round the ring"),
    .when = N_("large data: neighbours only, all links busy all the time"),
    .nccl = "Ring",
    .mpi = "4 ring",
    .source = "NCCL, src/device/all_gather.h",
};

const struct algorithm reduce_scatter_ring = {
    .name = N_("ring"),
    .collective = "reduce-scatter",
    .topology = TOPOLOGY_RING,
    .scratch = work_scratch,
    .build = ring_build,
    .path = coll_path_others,
    .formulas = {"N-1", "(N-1)/N S"},
    .idea = N_("chunks travel once round the ring and grow on their way to "
               "their owner"),
    .when = N_("large data: neighbours only, all links busy all the time"),
    .nccl = "Ring",
    .mpi = "3 ring",
    .source = "NCCL, src/device/reduce_scatter.h",
};
