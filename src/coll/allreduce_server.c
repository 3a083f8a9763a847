/* SPDX-License-Identifier: MIT */
/* All-reduce with a server, or master and workers.
 *
 * Every rank sends to rank 0, which adds up in the order of ranks and sends the
 * sum to all.  Two steps; in each, rank 0's link carries N-1 times the data.
 * Other algorithms are designed to avoid this bottleneck. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static void
allreduce_server_build(struct schedule *s, const struct coll_options *o)
{
    int work = work_begin(s);

    if (o->nranks == 1)
        return;
    schedule_step(s, N_("reduce"));
    for (int i = 1; i < o->nranks; i++)
        work_reduce(s, i, 0, work, 1);
    schedule_step(s, N_("broadcast"));
    for (int i = 1; i < o->nranks; i++)
        work_copy(s, 0, i, work, 1);
}

const struct algorithm allreduce_server = {
    .name = N_("server"),
    .collective = "allreduce",
    .aliases = {"master-worker", "flat"},
    .topology = TOPOLOGY_STAR,
    .build = allreduce_server_build,
    .path = coll_path_twice_others,
    .steps_formula = "2",
    .bytes_formula = "(N-1) S",
    .idea = N_("everyone sends to one rank, which adds up and sends the sum "
               "back"),
    .when = N_("very few ranks: everything waits for one link"),
    .source = "master and worker",
};
