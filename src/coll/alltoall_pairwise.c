/* SPDX-License-Identifier: MIT */
/* Pairwise all-to-all and reduce-scatter.
 *
 * In step k every rank sends to the rank k after it what that one needs, and
 * receives from the rank k before it.  N-1 steps; nothing is passed on, so that
 * every rank sends no more than it must.  They win for large data where any two
 * ranks have a link.
 *
 * In place, an all-to-all would overwrite data still to be sent, so it saves it
 * first.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.3 and
 * 4.5. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static int
alltoall_pairwise_scratch(const struct coll_options *o)
{
    return o->in_place && o->nranks > 1 ? o->nranks : 0;
}

static void
alltoall_pairwise_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, out = schedule_outputs(s).first;
    int from = o->in_place ? schedule_scratch(s) : 0;

    if (n > 1 || !o->in_place)
        schedule_step(s, N_("copy"));
    for (int i = 0; i < n && s->nsteps > 0; i++)
        if (o->in_place)
            work_move(s, TRANSFER_COPY, i, 0, i, from, n);
        else
            work_move(s, TRANSFER_COPY, i, i, i, out + i, 1);
    for (int k = 1; k < n; k++) {
        schedule_step(s, N_("all-to-all"));
        for (int i = 0; i < n; i++)
            work_move(s, TRANSFER_COPY, i, from + (i + k) % n, (i + k) % n,
                      out + i, 1);
    }
}

static void
reduce_scatter_pairwise_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);

    for (int k = 1; k < n; k++) {
        schedule_step(s, N_("reduce-scatter"));
        for (int i = 0; i < n; i++)
            work_reduce(s, i, (i + k) % n, work + (i + k) % n, 1);
    }
    work_end(s, work);
}

const struct algorithm alltoall_pairwise = {
    .name = N_("pairwise"),
    .collective = "alltoall",
    .scratch = alltoall_pairwise_scratch,
    .build = alltoall_pairwise_build,
    .path = coll_path_others,
    .formulas = {"N-1", "(N-1)/N S"},
    .idea = N_("every rank sends every other its share, to one after the "
               "other"),
    .when = N_("large data: nothing is passed on"),
    .mpi = "2 pairwise",
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm reduce_scatter_pairwise = {
    .name = N_("pairwise"),
    .collective = "reduce-scatter",
    .scratch = work_scratch,
    .build = reduce_scatter_pairwise_build,
    .path = coll_path_others,
    .formulas = {"N-1", "(N-1)/N S"},
    .idea = N_("every rank sends every other its chunk, to one after the "
               "other"),
    .when = N_("large data where any two ranks have a link"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
