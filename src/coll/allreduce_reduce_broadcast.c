/* SPDX-License-Identifier: MIT */
/* All-reduce as a reduce and a broadcast.
 *
 * Along one binomial tree all data goes up to rank 0, and the sum comes down
 * again.  2 ceil(log2 N) steps; rank 0 sends the data log2 N times. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"
#include "coll/lib/trees.h"

static void
allreduce_reduce_broadcast_build(struct schedule *s,
                                 const struct coll_options *o)
{
    int work = work_begin(s);

    (void)o;
    binomial_links(s, 0, N_("reduce"), true, TRANSFER_REDUCE, work,
                   BINOMIAL_WHOLE);
    binomial_links(s, 0, N_("broadcast"), false, TRANSFER_COPY, work,
                   BINOMIAL_WHOLE);
}

static struct path
path(const struct coll_options *o)
{
    double levels = log2_ceil(o->nranks);

    return (struct path){2 * levels, 2 * levels, levels};
}

const struct algorithm allreduce_reduce_broadcast = {
    .name = N_("reduce-broadcast"),
    .collective = "allreduce",
    .aliases = {"binomial"},
    .topology = TOPOLOGY_BINOMIAL,
    .build = allreduce_reduce_broadcast_build,
    .path = path,
    .steps_formula = "2 ceil(log2 N)",
    .bytes_formula = "ceil(log2 N) S",
    .idea = N_("a reduce to rank 0, then a broadcast from it"),
    .when = N_("where only a reduce and a broadcast are at hand"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
