/* SPDX-License-Identifier: MIT */
/* Ring all-gather.
 *
 * Each rank's data travels once round the ring, and every rank keeps a copy as
 * it passes.  N-1 steps; every rank sends the least possible, and all links
 * are busy all the time.  Wins for large data.
 *
 * In step k (from 0) rank i sends chunk i-k and receives chunk i-1-k, modulo
 * N.  The first chunk is sent from the input, so that out of place nobody waits
 * for the sender's own copy.
 *
 * Source: NCCL, src/device/all_gather.h (runRing). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/arithmetic.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

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

const struct algorithm allgather_ring = {
    .name = N_("ring"),
    .collective = "allgather",
    .topology = TOPOLOGY_RING,
    .pieces = coll_one,
    .build = allgather_ring_build,
    .steps = coll_all_others,
    .sent = coll_all_others,
    .path = coll_path_others,
    .steps_formula = "N-1",
    .bytes_formula = "(N-1) S",
    .idea = N_("everyone's data travels once round the ring"),
    .when = N_("large data: neighbours only, all links busy all the time"),
    .nccl = "Ring",
    .source = "NCCL, src/device/all_gather.h",
};
