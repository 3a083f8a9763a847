/* SPDX-License-Identifier: MIT */
/* Flat scatter.
 *
 * The root sends every rank its share: one step of N-1 sends.  Nothing is sent
 * twice, so for large data nothing does better. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

static void
scatter_flat_build(struct schedule *s, const struct coll_options *o)
{
    int in = schedule_input(s, o->root).first;

    if (o->nranks > 1 || !o->in_place)
        schedule_step(s, N_("scatter"));
    for (int k = 0; k < o->nranks; k++) {
        int rank = (o->root + k) % o->nranks;
        if (k > 0 || !o->in_place)
            move(s, TRANSFER_COPY, o->root, in + rank, rank,
                 schedule_output(s, rank).first, 1);
    }
}

const struct algorithm scatter_flat = {
    .name = N_("flat"),
    .collective = "scatter",
    .aliases = {"linear"},
    .topology = TOPOLOGY_STAR,
    .pieces = coll_one,
    .build = scatter_flat_build,
    .steps = coll_one_step,
    .sent = coll_all_others,
    .ports = coll_all_others,
    .path = coll_path_others,
    .steps_formula = "1",
    .bytes_formula = "(N-1)/N S",
    .idea = N_("the root sends every rank its share"),
    .when = N_("large data: nothing is sent twice"),
    .source = "MPI's basic linear scatter",
};
