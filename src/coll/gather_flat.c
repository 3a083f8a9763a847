/* SPDX-License-Identifier: MIT */
/* Flat gather.
 *
 * Every rank sends its data to the root: one step of N-1 sends.  Nothing is
 * sent twice, so for large data nothing does better. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

static void
gather_flat_build(struct schedule *s, const struct coll_options *o)
{
    int out = schedule_output(s, o->root).first;

    if (o->nranks > 1 || !o->in_place)
        schedule_step(s, N_("gather"));
    for (int k = 0; k < o->nranks; k++) {
        int rank = (o->root + k) % o->nranks;
        if (k > 0 || !o->in_place)
            move(s, TRANSFER_COPY, rank, schedule_input(s, rank).first,
                 o->root, out + rank, 1);
    }
}

const struct algorithm gather_flat = {
    .name = N_("flat"),
    .collective = "gather",
    .aliases = {"linear"},
    .topology = TOPOLOGY_STAR,
    .pieces = coll_one,
    .build = gather_flat_build,
    .steps = coll_one_step,
    .sent = coll_one_step,
    .ports = coll_all_others,
    .path = coll_path_others,
    .steps_formula = "1",
    .bytes_formula = "S",
    .idea = N_("every rank sends its data to the root"),
    .when = N_("large data: nothing is sent twice"),
    .source = "MPI's basic linear gather",
};
