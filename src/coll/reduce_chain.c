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

static void
reduce_chain_build(struct schedule *s, const struct coll_options *o)
{
    work_chain(s, o, TRANSFER_REDUCE, o->root);
}

const struct algorithm reduce_chain = {
    .name = N_("chain"),
    .collective = "reduce",
    .aliases = {"ring"},
    .topology = TOPOLOGY_RING,
    .chunks = 4,
    .pieces = coll_chunks,
    .build = reduce_chain_build,
    .steps = coll_chain_steps,
    .sent = coll_chunks_if_others,
    .path = coll_path_chain_added,
    .steps_formula = "N-1 + C-1",
    .bytes_formula = "S",
    .idea = N_("sums grow from rank to rank, chunk after chunk"),
    .when = N_("large data, in many chunks: every link works all the time"),
    .source = "NCCL, src/device/reduce.h",
};
