/* SPDX-License-Identifier: MIT */
/* Binomial-tree broadcast.
 *
 * Every rank that has the data passes it on, so that in each step twice as
 * many have it.  ceil(log2 N) steps; the root sends it in each of them.  Wins
 * for small data, where steps are what counts.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", IJHPCA 19 (2005), 4.2. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/binomial.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

static void
broadcast_binomial_build(struct schedule *s, const struct coll_options *o)
{
    binomial_broadcast(s, o->root, work_begin(s));
}

const struct algorithm broadcast_binomial = {
    .name = N_("binomial"),
    .collective = "broadcast",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .pieces = coll_one,
    .build = broadcast_binomial_build,
    .steps = coll_levels,
    .sent = coll_levels,
    .path = coll_path_levels,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "ceil(log2 N) S",
    .idea = N_("whoever has the data passes it on: twice as many have it "
               "after each step"),
    .when = N_("small data: the fewest steps there can be"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
