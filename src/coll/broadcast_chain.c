/* SPDX-License-Identifier: MIT */
/* Chain broadcast: NCCL's ring.
 *
 * From the root the data goes from rank to next rank, cut into C chunks: while
 * a rank receives one chunk it passes on the one before.  N-1 + C-1 steps; no
 * rank sends more than the data once.  Wins for large data, with many chunks.
 *
 * Source: NCCL, src/device/broadcast.h (runRing). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

/* In step t link p, from the rank p places after the root, carries chunk
 * t - p. */
static void
build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);

    for (int t = 0; t < coll_chain_steps(o); t++) {
        schedule_step(s, N_("broadcast"));
        for (int p = 0; p < n - 1; p++)
            if (t - p >= 0 && t - p < o->chunks)
                work_copy(s, (o->root + p) % n, (o->root + p + 1) % n,
                          work + t - p, 1);
    }
}

const struct algorithm broadcast_chain = {
    .name = N_("chain"),
    .collective = "broadcast",
    .aliases = {"ring"},
    .topology = TOPOLOGY_RING,
    .chunks = 4,
    .pieces = coll_chunks,
    .build = build,
    .steps = coll_chain_steps,
    .sent = coll_chunks_if_others,
    .path = coll_path_chain,
    .steps_formula = "N-1 + C-1",
    .bytes_formula = "S",
    .idea = N_("chunks follow one another from rank to rank"),
    .when = N_("large data, in many chunks: every link works all the time"),
    .source = "NCCL, src/device/broadcast.h",
};
