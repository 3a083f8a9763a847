/* SPDX-License-Identifier: MIT */
/* Binomial-tree scatter.
 *
 * The root sends half of the data to a rank half way, which distributes it
 * there, and so on.  ceil(log2 N) steps; the root sends the least possible, and
 * the ranks in between forward shares.  Wins for small data.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.2. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/binomial.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

static void
scatter_binomial_build(struct schedule *s, const struct coll_options *o)
{
    int work = work_begin(s);

    binomial_scatter(s, o->root, work, false);
    work_end(s, work);
}

const struct algorithm scatter_binomial = {
    .name = N_("binomial"),
    .collective = "scatter",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .pieces = coll_one,
    .scratch = work_scratch,
    .build = scatter_binomial_build,
    .steps = coll_levels,
    .sent = coll_all_others,
    .path = coll_path_doubling,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "(N-1)/N S",
    .idea = N_("half of what is left goes to a rank half way, which deals it "
               "out there"),
    .when = N_("small data: the fewest steps there can be"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
