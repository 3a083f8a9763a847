/* SPDX-License-Identifier: MIT */
/* Recursive-halving reduce-scatter.
 *
 * Ranks exchange with the rank half way across: each sends the half that the
 * other's side owns and adds what it receives to its own; then the same within
 * halves, quarters, ...  log2 N steps and no more bytes than a ring, on a power
 * of two; other numbers of ranks are folded (coll/lib/fold.h), which costs two
 * steps and the data once more.  Wins for small to medium data.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.3. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/fold.h"
#include "coll/lib/parts.h"

/* The chunks that the other side of the exchange over distance d owns. */
static struct fold_run
other_half(const struct fold *f, int seat, int d)
{
    struct fold_run runs[2];

    fold_runs(f, (seat ^ d) / d * d, d, runs);
    return runs[0]; /* neighbouring seats have one run */
}

static void
reduce_scatter_recursive_halving_build(struct schedule *s,
                                       const struct coll_options *o)
{
    struct fold f = fold_of(o->nranks, false);
    int work = work_begin(s);

    fold_in(s, &f, work, o->nranks);
    for (int d = f.seats / 2; d > 0; d /= 2) {
        schedule_step(s, N_("reduce-scatter"));
        for (int seat = 0; seat < f.seats; seat++) {
            struct fold_run half = other_half(&f, seat, d);
            work_reduce(s, fold_rank(&f, seat), fold_rank(&f, seat ^ d),
                        work + half.first, half.count);
        }
    }
    if (f.folded > 0)
        schedule_step(s, N_("unfold"));
    for (int seat = 0; seat < f.folded; seat++)
        work_copy(s, fold_rank(&f, seat), fold_partner(&f, seat),
                  work + fold_partner(&f, seat), 1);
    work_end(s, work);
}

const struct algorithm reduce_scatter_recursive_halving = {
    .name = N_("recursive-halving"),
    .collective = "reduce-scatter",
    .scratch = work_scratch,
    .build = reduce_scatter_recursive_halving_build,
    .path = coll_path_doubling_power,
    .steps_formula = "log2 N",
    .bytes_formula = "(N-1)/N S",
    .idea = N_("halves are exchanged and added, then halves of what is left"),
    .when = N_("small to middling data on a power of two"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
