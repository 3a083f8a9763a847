/* SPDX-License-Identifier: MIT */
/* Pairwise reduce-scatter.
 *
 * In step k every rank sends the chunk of the rank k after it straight to
 * that rank, which adds it.  N-1 steps; every rank sends no more than it must,
 * and nothing is passed on.  Wins for large data where any two ranks have a
 * link.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.3. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

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

const struct algorithm reduce_scatter_pairwise = {
    .name = N_("pairwise"),
    .collective = "reduce-scatter",
    .scratch = work_scratch,
    .build = reduce_scatter_pairwise_build,
    .path = coll_path_others,
    .steps_formula = "N-1",
    .bytes_formula = "(N-1)/N S",
    .idea = N_("every rank sends every other its chunk, to one after the "
               "other"),
    .when = N_("large data where any two ranks have a link"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
