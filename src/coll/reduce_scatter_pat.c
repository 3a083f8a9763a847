/* SPDX-License-Identifier: MIT */
/* PAT reduce-scatter: parallel aggregated trees.
 *
 * The all-gather's trees (allgather_pat.c), upwards: a chunk whose owner is i
 * places ahead goes over distance d = the lowest set bit of i, d = 1, 2, 4,
 * ..., and grows by the contributions of the ranks it passes.  ceil(log2 N)
 * steps for any N, with unlimited aggregation.
 *
 * Source: NCCL, src/include/collectives.h (PatRSAlgorithm). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static void
reduce_scatter_pat_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);

    for (int d = 1; d < n; d *= 2) {
        schedule_step(s, N_("reduce-scatter"));
        for (int rank = 0; rank < n; rank++)
            for (int i = d; i < n; i += 2 * d)
                work_reduce(s, rank, (rank + d) % n, work + (rank + i) % n, 1);
    }
    work_end(s, work);
}

const struct algorithm reduce_scatter_pat = {
    .name = N_("pat"),
    .collective = "reduce-scatter",
    .scratch = work_scratch,
    .build = reduce_scatter_pat_build,
    .path = coll_path_doubling,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "(N-1)/N S",
    .idea = N_("a binomial tree up to every chunk's owner, all at once"),
    .when = N_("small data on many nodes"),
    .nccl = "PAT",
    .source = "NCCL, src/include/collectives.h",
};
