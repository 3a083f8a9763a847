/* SPDX-License-Identifier: MIT */
/* Scatter-allgather broadcast, van de Geijn's.
 *
 * The root deals out N chunks along a binomial tree, then they travel round
 * the ring until everyone has all.  ceil(log2 N) + N-1 steps; the root sends
 * 2(N-1)/N of the data, where a tree would send it log2 N times.  Wins for
 * large data.  As in MPICH the ring also carries data that a rank already has.
 *
 * Source: M. Barnett, L. Shuler, R. van de Geijn, S. Gupta, D. Payne, J. Watts,
 * "Interprocessor collective communication library (InterCom)", SHPCC 1994;
 * Thakur, Rabenseifner, Gropp, IJHPCA 19 (2005), 4.2. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"
#include "coll/lib/trees.h"

/* Chunk i first goes to the rank i places after the root. */
static void
broadcast_scatter_allgather_build(struct schedule *s,
                                  const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);

    binomial_links(s, o->root, N_("scatter"), false, TRANSFER_COPY, work, 0);
    for (int k = 0; k < n - 1; k++) {
        schedule_step(s, N_("all-gather"));
        for (int i = 0; i < n; i++)
            work_copy(s, (o->root + i) % n, (o->root + i + 1) % n,
                      work + modulo(i - k, n), 1);
    }
}

static struct path
path(const struct coll_options *o)
{
    double others = o->nranks - 1;

    return (struct path){log2_ceil(o->nranks) + others, 2 * others, 0};
}

const struct algorithm broadcast_scatter_allgather = {
    .name = N_("scatter-allgather"),
    .collective = "broadcast",
    .aliases = {"van-de-geijn"},
    .pieces = coll_ranks,
    .build = broadcast_scatter_allgather_build,
    .path = path,
    .steps_formula = "ceil(log2 N) + N-1",
    .bytes_formula = "2(N-1)/N S",
    .idea = N_("the root deals out chunks along a tree, then all pass them "
               "round"),
    .when = N_("large data: the root sends it twice, not log2 N times"),
    .source = "Barnett et al. 1994; Thakur, Rabenseifner & Gropp 2005",
};
