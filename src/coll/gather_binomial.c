/* SPDX-License-Identifier: MIT */
/* Binomial-tree gather: the scatter's tree, upwards.
 *
 * A rank sends the data of its subtree to its parent in one piece.
 * ceil(log2 N) steps; the rank with the largest subtree sends N/2 times the
 * data.  Wins for small data.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.1. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/arithmetic.h"
#include "coll/lib/binomial.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

static void
gather_binomial_build(struct schedule *s, const struct coll_options *o)
{
    binomial_gather(s, o->root, work_begin(s));
}

/* The largest subtree under the root: the last one begins at the largest power
 * of two below N, and may be cut short; the one before is whole. */
static int
sent(const struct coll_options *o)
{
    int n = o->nranks, last = n > 1 ? 1 << (log2_ceil(n) - 1) : 0;

    if (n == 1)
        return 0;
    return n - last > last / 2 ? n - last : last / 2;
}

const struct algorithm gather_binomial = {
    .name = N_("binomial"),
    .collective = "gather",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .pieces = coll_one,
    .build = gather_binomial_build,
    .steps = coll_levels,
    .sent = sent,
    .path = coll_path_doubling,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "N/2 S",
    .idea = N_("what a subtree has gathered goes up to its parent in one "
               "piece"),
    .when = N_("small data: the fewest steps there can be"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
