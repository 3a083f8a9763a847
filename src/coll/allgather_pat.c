/* SPDX-License-Identifier: MIT */
/* PAT all-gather and reduce-scatter: parallel aggregated trees.
 *
 * All-gather: a binomial tree for every rank's data, all alike and shifted by
 * one.  The rank i places after the source forwards over distance d if 2d
 * divides i.  Large distances come first, so that data with a long way starts
 * early; data for one peer in one step is sent together.  With unlimited
 * aggregation this takes ceil(log2 N) steps for any N (NCCL limits it to the
 * size of its buffers).
 *
 * Reduce-scatter: the same trees, upwards.  A chunk whose owner is i places
 * ahead goes over distance d = the lowest set bit of i, d = 1, 2, 4, ..., and
 * grows by the contributions of the ranks it passes.  As many steps.
 *
 * They win for small data on many nodes.
 *
 * Source: NCCL, src/include/collectives.h (PatAGAlgorithm, PatRSAlgorithm):
 * Bruck's algorithm with its dimensions reversed. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static void
pat_build(struct schedule *s, const struct coll_options *o)
{
    bool adds = s->collective->reduces;
    int n = o->nranks, levels = log2_ceil(n), work = work_begin(s);

    for (int k = 0; k < levels; k++) {
        int d = 1 << (adds ? k : levels - 1 - k);
        schedule_step(s, s->collective->title);
        for (int rank = 0; rank < n; rank++)
            for (int i = 0; i + d < n; i += 2 * d) {
                int slot = work + modulo(adds ? rank + d + i : rank - i, n);
                work_move(s, adds ? TRANSFER_REDUCE : TRANSFER_COPY, rank,
                          slot, (rank + d) % n, slot, 1);
            }
    }
    work_end(s, work);
}

const struct algorithm allgather_pat = {
    .name = N_("pat"),
    .collective = "allgather",
    .build = pat_build,
    .path = coll_path_doubling,
    .formulas = {"ceil(log2 N)", "(N-1) S"},
    .idea = N_("a binomial tree for every rank's data, all at once, far data "
               "first"),
    .when = N_("small data on many nodes"),
    .nccl = "PAT",
    .source = "NCCL, src/include/collectives.h",
};

const struct algorithm reduce_scatter_pat = {
    .name = N_("pat"),
    .collective = "reduce-scatter",
    .scratch = work_scratch,
    .build = pat_build,
    .path = coll_path_doubling,
    .formulas = {"ceil(log2 N)", "(N-1)/N S"},
    .idea = N_("a binomial tree up to every chunk's owner, all at once"),
    .when = N_("small data on many nodes"),
    .nccl = "PAT",
    .source = "NCCL, src/include/collectives.h",
};
