/* SPDX-License-Identifier: MIT */
/* Flat broadcast.
 *
 * The root sends to every rank itself: one step of N-1 sends, which takes as
 * long as N-1 steps on the root's one link.  People write this
 * first. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

static void
broadcast_flat_build(struct schedule *s, const struct coll_options *o)
{
    int work = work_begin(s);

    if (o->nranks > 1)
        schedule_step(s, N_("broadcast"));
    for (int k = 1; k < o->nranks; k++)
        work_copy(s, o->root, (o->root + k) % o->nranks, work, 1);
}

const struct algorithm broadcast_flat = {
    .name = N_("flat"),
    .collective = "broadcast",
    .aliases = {"linear"},
    .topology = TOPOLOGY_STAR,
    .pieces = coll_one,
    .build = broadcast_flat_build,
    .steps = coll_one_step,
    .sent = coll_all_others,
    .ports = coll_all_others,
    .path = coll_path_others,
    .steps_formula = "1",
    .bytes_formula = "(N-1) S",
    .idea = N_("the root sends to every rank itself"),
    .when = N_("very few ranks: everything waits for the root's link"),
    .source = "MPI's basic linear broadcast",
};
