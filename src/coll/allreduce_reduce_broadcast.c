/* SPDX-License-Identifier: MIT */
/* All-reduce as a reduce and a broadcast.
 *
 * Along one binomial tree all data goes up to rank 0, and the sum comes down
 * again.  2 ceil(log2 N) steps; rank 0 sends the data log2 N times. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/arithmetic.h"
#include "coll/lib/binomial.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

static void
allreduce_reduce_broadcast_build(struct schedule *s,
                                 const struct coll_options *o)
{
    int work = work_begin(s);

    (void)o;
    binomial_reduce(s, 0, work);
    binomial_broadcast(s, 0, work);
}

static int
steps(const struct coll_options *o)
{
    return 2 * log2_ceil(o->nranks);
}

static struct path
path(const struct coll_options *o)
{
    double levels = coll_levels(o);

    return (struct path){2 * levels, 2 * levels, levels};
}

const struct algorithm allreduce_reduce_broadcast = {
    .name = N_("reduce-broadcast"),
    .collective = "allreduce",
    .aliases = {"binomial"},
    .topology = TOPOLOGY_BINOMIAL,
    .pieces = coll_one,
    .build = allreduce_reduce_broadcast_build,
    .steps = steps,
    .sent = coll_levels,
    .path = path,
    .steps_formula = "2 ceil(log2 N)",
    .bytes_formula = "ceil(log2 N) S",
    .idea = N_("a reduce to rank 0, then a broadcast from it"),
    .when = N_("where only a reduce and a broadcast are at hand"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
