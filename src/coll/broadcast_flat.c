/* SPDX-License-Identifier: MIT */
/* Flat broadcast, reduce, scatter and gather, and an all-reduce with a server.
 *
 * The root sends to every rank itself, or every rank sends to the root: one
 * step of N-1 sends, which takes as long as N-1 steps on the root's one link.
 * People write this first.  A scatter and a gather send nothing twice, so for
 * large data nothing does better.
 *
 * All-reduce with a server, or master and workers: every rank sends to rank
 * 0, which adds up in the order of ranks and sends the sum to all.  Two steps;
 * in each, rank 0's link carries N-1 times the data.  Other algorithms are
 * designed to avoid this bottleneck. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

/* Moves all data between the root and every rank: to be added up, or copied. */
static void
flat_build(struct schedule *s, const struct coll_options *o)
{
    const struct collective *c = s->collective;
    bool adds = c->reduces, copies = c->output_at == AT_ALL;
    int work = work_begin(s);

    if (o->nranks > 1 && adds)
        schedule_step(s, N_("reduce"));
    for (int k = 1; k < o->nranks && adds; k++)
        work_reduce(s, (o->root + k) % o->nranks, o->root, work, 1);
    if (o->nranks > 1 && copies)
        schedule_step(s, N_("broadcast"));
    for (int k = 1; k < o->nranks && copies; k++)
        work_copy(s, o->root, (o->root + k) % o->nranks, work, 1);
}

/* Moves every rank's share between the root and the rank, the root's too. */
static void
flat_shares_build(struct schedule *s, const struct coll_options *o)
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
    .build = flat_build,
    .path = coll_path_others,
    .formulas = {"1", "(N-1) S"},
    .idea = N_("the root sends to every rank itself"),
    .when = N_("very few ranks: everything waits for the root's link"),
    .mpi = "1 basic_linear",
    .source = "MPI's basic linear broadcast",
};

const struct algorithm reduce_flat = {
    .name = N_("flat"),
    .collective = "reduce",
    .aliases = {"linear"},
    .topology = TOPOLOGY_STAR,
    .build = flat_build,
    .path = coll_path_others,
    .formulas = {"1", "S"},
    .idea = N_("every rank sends to the root, which adds up"),
    .when = N_("very few ranks: everything waits for the root's link"),
    .mpi = "1 linear",
    .source = "MPI's basic linear reduce",
};

const struct algorithm scatter_flat = {
    .name = N_("flat"),
    .collective = "scatter",
    .aliases = {"linear"},
    .topology = TOPOLOGY_STAR,
    .build = flat_shares_build,
    .path = coll_path_others,
    .formulas = {"1", "(N-1)/N S"},
    .idea = N_("the root sends every rank its share"),
    .when = N_("large data: nothing is sent twice"),
    .nccl = "Scatter",
    .mpi = "1 basic_linear, 3 linear_nb",
    .source = "MPI's basic linear scatter",
};

const struct algorithm gather_flat = {
    .name = N_("flat"),
    .collective = "gather",
    .aliases = {"linear"},
    .topology = TOPOLOGY_STAR,
    .build = flat_shares_build,
    .path = coll_path_others,
    .formulas = {"1", "S"},
    .idea = N_("every rank sends its data to the root"),
    .when = N_("large data: nothing is sent twice"),
    .nccl = "Gather",
    .mpi = "1 basic_linear, 3 linear_sync",
    .source = "MPI's basic linear gather",
};

const struct algorithm allreduce_server = {
    .name = N_("server"),
    .collective = "allreduce",
    .aliases = {"master-worker", "flat"},
    .topology = TOPOLOGY_STAR,
    .build = flat_build,
    .path = coll_path_twice_others,
    .formulas = {"2", "(N-1) S"},
    .idea = N_("everyone sends to one rank, which adds up and sends the sum "
               "back"),
    .when = N_("very few ranks: everything waits for one link"),
    .mpi = "1 basic_linear",
    .source = "master and worker",
};
