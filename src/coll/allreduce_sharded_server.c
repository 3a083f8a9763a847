/* SPDX-License-Identifier: MIT */
/* All-reduce with sharded parameter servers.
 *
 * Every rank is the server of one chunk: all send it theirs, it adds them up
 * and sends the sum to all.  Two steps of N-1 sends; every rank sends 2(N-1)/N
 * of its data, as on a ring, but over links between any two ranks at once.
 *
 * Source: M. Li et al., "Scaling distributed machine learning with the
 * parameter server", OSDI 2014. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

/* Each rank sends to the one after it first, then to the next, so that no two
 * send to the same rank at the same time. */
static void
allreduce_sharded_server_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);

    if (n == 1)
        return;
    schedule_step(s, N_("reduce-scatter"));
    for (int k = 1; k < n; k++)
        for (int server = 0; server < n; server++)
            work_reduce(s, (server + n - k) % n, server, work + server, 1);
    schedule_step(s, N_("all-gather"));
    for (int k = 1; k < n; k++)
        for (int server = 0; server < n; server++)
            work_copy(s, server, (server + k) % n, work + server, 1);
}

const struct algorithm allreduce_sharded_server = {
    .name = N_("sharded-server"),
    .collective = "allreduce",
    .aliases = {"parameter-server", "direct"},
    .pieces = coll_ranks,
    .build = allreduce_sharded_server_build,
    .path = coll_path_twice_others,
    .formulas = {"2", "2(N-1)/N S"},
    .idea = N_("every rank adds up one chunk for all, and sends it to all"),
    .when = N_("middling data where any two ranks have a link"),
    .nccl = "RSxLD_AGxST, RSxTmaLD_AGxTmaST",
    .source = "Li et al. 2014",
};
