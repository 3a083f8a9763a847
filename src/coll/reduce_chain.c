/* SPDX-License-Identifier: MIT */
/* Chain reduce: NCCL's ring.
 *
 * Sums grow from rank to next rank and end at the root, cut into C chunks that
 * follow one another.  N-1 + C-1 steps; no rank sends more than the data once.
 * Wins for large data, with many chunks.
 *
 * Source: NCCL, src/device/reduce.h (runRing). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

/* In step t link p, from the rank p + 1 places after the root, carries chunk
 * t - p. */
static void
build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);

    for (int t = 0; t < coll_chain_steps(o); t++) {
        schedule_step(s, N_("reduce"));
        for (int p = 0; p < n - 1; p++)
            if (t - p >= 0 && t - p < o->chunks)
                work_reduce(s, (o->root + p + 1) % n, (o->root + p + 2) % n,
                            work + t - p, 1);
    }
}

const struct algorithm reduce_chain = {
    .name = N_("chain"),
    .collective = "reduce",
    .aliases = {"ring"},
    .topology = TOPOLOGY_RING,
    .chunks = 4,
    .pieces = coll_chunks,
    .build = build,
    .steps = coll_chain_steps,
    .sent = coll_chunks_if_others,
    .path = coll_path_chain_added,
    .steps_formula = "N-1 + C-1",
    .bytes_formula = "S",
    .idea = N_("sums grow from rank to rank, chunk after chunk"),
    .when = N_("large data, in many chunks: every link works all the time"),
    .source = "NCCL, src/device/reduce.h",
};
