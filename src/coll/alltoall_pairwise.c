/* SPDX-License-Identifier: MIT */
/* Pairwise all-to-all.
 *
 * In step k every rank sends to the rank k after it and receives from the
 * rank k before it.  N-1 steps; nothing is passed on, so that every rank sends
 * no more than it must.  Wins for large data.
 *
 * In place, data still to be sent would be overwritten, so it is saved
 * first.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.5. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/arithmetic.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

static int
scratch(const struct coll_options *o)
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

const struct algorithm alltoall_pairwise = {
    .name = N_("pairwise"),
    .collective = "alltoall",
    .pieces = coll_one,
    .scratch = scratch,
    .build = alltoall_pairwise_build,
    .steps = coll_all_others,
    .sent = coll_all_others,
    .path = coll_path_others,
    .steps_formula = "N-1",
    .bytes_formula = "(N-1)/N S",
    .idea = N_("every rank sends every other its share, to one after the "
               "other"),
    .when = N_("large data: nothing is passed on"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
