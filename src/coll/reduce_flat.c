/* SPDX-License-Identifier: MIT */
/* Flat reduce.
 *
 * Every rank sends to the root, which adds it all up: one step of N-1 sends,
 * which takes as long as N-1 steps on the root's one link. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

static void
reduce_flat_build(struct schedule *s, const struct coll_options *o)
{
    int work = work_begin(s);

    if (o->nranks > 1)
        schedule_step(s, N_("reduce"));
    for (int k = 1; k < o->nranks; k++)
        work_reduce(s, (o->root + k) % o->nranks, o->root, work, 1);
}

const struct algorithm reduce_flat = {
    .name = N_("flat"),
    .collective = "reduce",
    .aliases = {"linear"},
    .topology = TOPOLOGY_STAR,
    .pieces = coll_one,
    .build = reduce_flat_build,
    .steps = coll_one_step,
    .sent = coll_one_step,
    .ports = coll_all_others,
    .path = coll_path_others,
    .steps_formula = "1",
    .bytes_formula = "S",
    .idea = N_("every rank sends to the root, which adds up"),
    .when = N_("very few ranks: everything waits for the root's link"),
    .source = "MPI's basic linear reduce",
};
