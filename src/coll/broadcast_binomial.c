/* SPDX-License-Identifier: MIT */
/* Binomial-tree broadcast, reduce, scatter and gather, in ceil(log2 N) steps.
 * They win for small data, where steps are what counts.
 *
 * Broadcast: every rank that has the data passes it on, so that in each step
 * twice as many have it; the root sends it in each of them.  Reduce, the same
 * tree upwards: in each step half of the ranks that still have a part of the
 * sum send it to their parent; every rank but the root sends the data once.
 *
 * Scatter: the root sends half of the data to a rank half way, which
 * distributes it there, and so on; the root sends the least possible, and the
 * ranks in between forward shares.  Gather, upwards: a rank sends the data of
 * its subtree to its parent in one piece; the rank with the largest subtree
 * sends N/2 times the data.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", IJHPCA 19 (2005), 4.1, 4.2 and 4.4. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"
#include "coll/lib/trees.h"

/* All data, or of every rank its share, down from the root or up to it. */
static void
build(struct schedule *s, const struct coll_options *o)
{
    const struct collective *c = s->collective;
    bool whole = c->input == c->output;
    int work = work_begin(s);

    binomial_links(s, o->root, c->title, c->output_at == AT_ROOT,
                   c->reduces ? TRANSFER_REDUCE : TRANSFER_COPY, work,
                   whole ? BINOMIAL_WHOLE : o->root);
    work_end(s, work);
}

const struct algorithm broadcast_binomial = {
    .name = N_("binomial"),
    .collective = "broadcast",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .build = build,
    .path = coll_path_levels,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "ceil(log2 N) S",
    .idea = N_("whoever has the data passes it on: twice as many have it "
               "after each step"),
    .when = N_("small data: the fewest steps there can be"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm reduce_binomial = {
    .name = N_("binomial"),
    .collective = "reduce",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .build = build,
    .path = coll_path_levels,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "S",
    .idea = N_("sums grow up the tree: half of the ranks are done after each "
               "step"),
    .when = N_("small data: the fewest steps there can be"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm scatter_binomial = {
    .name = N_("binomial"),
    .collective = "scatter",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .scratch = work_scratch,
    .build = build,
    .path = coll_path_doubling,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "(N-1)/N S",
    .idea = N_("half of what is left goes to a rank half way, which deals it "
               "out there"),
    .when = N_("small data: the fewest steps there can be"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm gather_binomial = {
    .name = N_("binomial"),
    .collective = "gather",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .build = build,
    .path = coll_path_doubling,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "N/2 S",
    .idea = N_("what a subtree has gathered goes up to its parent in one "
               "piece"),
    .when = N_("small data: the fewest steps there can be"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
