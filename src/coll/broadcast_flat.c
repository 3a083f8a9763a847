/* SPDX-License-Identifier: MIT */
/* Flat broadcast, reduce, scatter and gather.
 *
 * The root sends to every rank itself, or every rank sends to the root: one
 * step of N-1 sends, which takes as long as N-1 steps on the root's one link.
 * People write this first.  A scatter and a gather send nothing twice, so for
 * large data nothing does better. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

/* Moves all data between the root and every rank. */
static void
move_all(struct schedule *s, const struct coll_options *o)
{
    int work = work_begin(s);

    if (o->nranks > 1)
        schedule_step(s, s->collective->title);
    for (int k = 1; k < o->nranks; k++) {
        int rank = (o->root + k) % o->nranks;
        if (s->collective->reduces)
            work_reduce(s, rank, o->root, work, 1);
        else
            work_copy(s, o->root, rank, work, 1);
    }
}

/* Moves every rank's share between the root and the rank, the root's too. */
static void
move_shares(struct schedule *s, const struct coll_options *o)
{
    if (o->nranks > 1 || !o->in_place)
        schedule_step(s, s->collective->title);
    for (int k = o->in_place; k < o->nranks; k++) {
        int rank = (o->root + k) % o->nranks;
        if (s->collective->output_at == AT_ROOT)
            work_move(s, TRANSFER_COPY, rank, schedule_input(s, rank).first,
                      o->root, schedule_output(s, o->root).first + rank, 1);
        else
            work_move(s, TRANSFER_COPY, o->root,
                      schedule_input(s, o->root).first + rank, rank,
                      schedule_output(s, rank).first, 1);
    }
}

const struct algorithm broadcast_flat = {
    .name = N_("flat"),
    .collective = "broadcast",
    .aliases = {"linear"},
    .topology = TOPOLOGY_STAR,
    .build = move_all,
    .path = coll_path_others,
    .steps_formula = "1",
    .bytes_formula = "(N-1) S",
    .idea = N_("the root sends to every rank itself"),
    .when = N_("very few ranks: everything waits for the root's link"),
    .source = "MPI's basic linear broadcast",
};

const struct algorithm reduce_flat = {
    .name = N_("flat"),
    .collective = "reduce",
    .aliases = {"linear"},
    .topology = TOPOLOGY_STAR,
    .build = move_all,
    .path = coll_path_others,
    .steps_formula = "1",
    .bytes_formula = "S",
    .idea = N_("every rank sends to the root, which adds up"),
    .when = N_("very few ranks: everything waits for the root's link"),
    .source = "MPI's basic linear reduce",
};

const struct algorithm scatter_flat = {
    .name = N_("flat"),
    .collective = "scatter",
    .aliases = {"linear"},
    .topology = TOPOLOGY_STAR,
    .build = move_shares,
    .path = coll_path_others,
    .steps_formula = "1",
    .bytes_formula = "(N-1)/N S",
    .idea = N_("the root sends every rank its share"),
    .when = N_("large data: nothing is sent twice"),
    .nccl = "Scatter",
    .source = "MPI's basic linear scatter",
};

const struct algorithm gather_flat = {
    .name = N_("flat"),
    .collective = "gather",
    .aliases = {"linear"},
    .topology = TOPOLOGY_STAR,
    .build = move_shares,
    .path = coll_path_others,
    .steps_formula = "1",
    .bytes_formula = "S",
    .idea = N_("every rank sends its data to the root"),
    .when = N_("large data: nothing is sent twice"),
    .nccl = "Gather",
    .source = "MPI's basic linear gather",
};
