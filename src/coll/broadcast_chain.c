/* SPDX-License-Identifier: MIT */
/* Chain broadcast and reduce: NCCL's ring.
 *
 * From the root the data goes from rank to next rank, cut into C chunks: while
 * a rank receives one chunk it passes on the one before.  In a reduce sums grow
 * on the same way and end at the root.  N-1 + C-1 steps; no rank sends more
 * than the data once.  Wins for large data, with many chunks.
 *
 * Source: NCCL, src/device/broadcast.h and src/device/reduce.h (runRing). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static int
chain_steps(const struct coll_options *o)
{
    return o->nranks > 1 ? o->nranks - 1 + o->chunks - 1 : 0;
}

static struct path
chain_path(const struct coll_options *o)
{
    return (struct path){chain_steps(o), chain_steps(o), chain_steps(o)};
}

/* In step t link p, from the rank p places after rank `first`, carries chunk
 * t - p. */
static void
chain_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);
    bool adds = s->collective->reduces;
    int first = adds ? o->root + 1 : o->root;

    for (int t = 0; t < chain_steps(o); t++) {
        schedule_step(s, s->collective->title);
        for (int p = 0; p < n - 1; p++)
            if (t - p >= 0 && t - p < o->chunks)
                work_move(s, adds ? TRANSFER_REDUCE : TRANSFER_COPY,
                          (first + p) % n, work + t - p, (first + p + 1) % n,
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
    .build = chain_build,
    .path = chain_path,
    .formulas = {"N-1 + C-1", "S"},
    .idea = N_("chunks follow one another from rank to rank"),
    .when = N_("large data, in many chunks: every link works all the time"),
    .nccl = "Ring",
    .mpi = "3 pipeline",
    .source = "NCCL, src/device/broadcast.h",
};

const struct algorithm reduce_chain = {
    .name = N_("chain"),
    .collective = "reduce",
    .aliases = {"ring"},
    .topology = TOPOLOGY_RING,
    .chunks = 4,
    .pieces = coll_chunks,
    .build = chain_build,
    .path = chain_path,
    .formulas = {"N-1 + C-1", "S"},
    .idea = N_("sums grow from rank to rank, chunk after chunk"),
    .when = N_("large data, in many chunks: every link works all the time"),
    .nccl = "Ring",
    .mpi = "3 pipeline",
    .source = "NCCL, src/device/reduce.h",
};
