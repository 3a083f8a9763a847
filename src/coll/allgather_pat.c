/* SPDX-License-Identifier: MIT */
/* PAT all-gather: parallel aggregated trees.
 *
 * A binomial tree for every rank's data, all alike and shifted by one: the rank
 * i places after the source forwards over distance d if 2d divides i.  Large
 * distances come first, so that data with a long way starts early; data for one
 * peer in one step is sent together.  With unlimited aggregation this takes
 * ceil(log2 N) steps for any N (NCCL limits it to the size of its buffers).
 * Wins for small data on many nodes.
 *
 * Source: NCCL, src/include/collectives.h (PatAGAlgorithm): Bruck's algorithm
 * with its dimensions reversed. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static void
allgather_pat_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);

    for (int d = 1 << log2_ceil(n) >> 1; d > 0; d /= 2) {
        schedule_step(s, N_("all-gather"));
        for (int rank = 0; rank < n; rank++)
            for (int i = 0; i + d < n; i += 2 * d)
                work_copy(s, rank, (rank + d) % n, work + modulo(rank - i, n),
                          1);
    }
}

const struct algorithm allgather_pat = {
    .name = N_("pat"),
    .collective = "allgather",
    .build = allgather_pat_build,
    .path = coll_path_doubling,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "(N-1) S",
    .idea = N_("a binomial tree for every rank's data, all at once, far data "
               "first"),
    .when = N_("small data on many nodes"),
    .nccl = "PAT",
    .source = "NCCL, src/include/collectives.h",
};
