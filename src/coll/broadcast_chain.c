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

static void
broadcast_chain_build(struct schedule *s, const struct coll_options *o)
{
    work_chain(s, o, TRANSFER_COPY, o->root + o->nranks - 1);
}

const struct algorithm broadcast_chain = {
    .name = N_("chain"),
    .collective = "broadcast",
    .aliases = {"ring"},
    .topology = TOPOLOGY_RING,
    .chunks = 4,
    .pieces = coll_chunks,
    .build = broadcast_chain_build,
    .steps = coll_chain_steps,
    .sent = coll_chunks_if_others,
    .path = coll_path_chain,
    .steps_formula = "N-1 + C-1",
    .bytes_formula = "S",
    .idea = N_("chunks follow one another from rank to rank"),
    .when = N_("large data, in many chunks: every link works all the time"),
    .source = "NCCL, src/device/broadcast.h",
};
