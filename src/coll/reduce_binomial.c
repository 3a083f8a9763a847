/* SPDX-License-Identifier: MIT */
/* Binomial-tree reduce: the broadcast's tree, upwards.
 *
 * In each step half of the ranks that still have a part of the sum send it to
 * their parent.  ceil(log2 N) steps; every rank but the root sends the data
 * once.  Wins for small data.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.4. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/binomial.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

static void
reduce_binomial_build(struct schedule *s, const struct coll_options *o)
{
    binomial_reduce(s, o->root, work_begin(s));
}

const struct algorithm reduce_binomial = {
    .name = N_("binomial"),
    .collective = "reduce",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .pieces = coll_one,
    .build = reduce_binomial_build,
    .steps = coll_levels,
    .sent = coll_one_step,
    .path = coll_path_levels,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "S",
    .idea = N_("sums grow up the tree: half of the ranks are done after each "
               "step"),
    .when = N_("small data: the fewest steps there can be"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
