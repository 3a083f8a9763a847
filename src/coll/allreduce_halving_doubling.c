/* SPDX-License-Identifier: MIT */
/* Halving-doubling all-reduce, Rabenseifner's.
 *
 * Reduce-scatter by recursive halving: ranks exchange halves of their data with
 * the rank half way across and add them, then quarters, ...; all-gather by
 * recursive doubling, the same way back.  2 log2 N steps and, on a power of
 * two, no more bytes than a ring: few steps and few bytes.  Other numbers of
 * ranks are folded (coll/lib/fold.h), which costs two steps and the data once
 * more.
 *
 * Source: R. Rabenseifner, "Optimization of collective reduction operations",
 * ICCS 2004; R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.5. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/fold.h"
#include "coll/lib/parts.h"

/* As many chunks as seats, so that halves are whole chunks. */
static int
pieces(const struct coll_options *o)
{
    return 1 << log2_floor(o->nranks);
}

/* Seats exchange over distance d: in the reduce-scatter what the other's side
 * owns, in the all-gather what this side has. */
static void
exchange(struct schedule *s, const struct fold *f, int work, int d, bool adds)
{
    for (int seat = 0; seat < f->seats; seat++) {
        int other = seat ^ d;
        int first = (adds ? other : seat) / d * d;
        work_move(s, adds ? TRANSFER_REDUCE : TRANSFER_COPY, fold_rank(f, seat),
                  work + first, fold_rank(f, other), work + first, d);
    }
}

static void
allreduce_halving_doubling_build(struct schedule *s,
                                 const struct coll_options *o)
{
    struct fold f = fold_of(o->nranks, false);
    int work = work_begin(s);

    fold_in(s, &f, work, f.seats);
    for (int d = f.seats / 2; d > 0; d /= 2) {
        schedule_step(s, N_("reduce-scatter"));
        exchange(s, &f, work, d, true);
    }
    for (int d = 1; d < f.seats; d *= 2) {
        schedule_step(s, N_("all-gather"));
        exchange(s, &f, work, d, false);
    }
    fold_out(s, &f, work, f.seats);
}

static struct path
path(const struct coll_options *o)
{
    struct fold f = fold_of(o->nranks, false);
    int folds = f.folded > 0, steps = 2 * (log2_floor(f.seats) + folds);
    double sums = folds * f.seats + f.seats - 1;

    return (struct path){steps, 2 * sums, sums};
}

const struct algorithm allreduce_halving_doubling = {
    .name = N_("halving-doubling"),
    .collective = "allreduce",
    .aliases = {"rabenseifner"},
    .pieces = pieces,
    .build = allreduce_halving_doubling_build,
    .path = path,
    .steps_formula = "2 log2 N",
    .bytes_formula = "2(N-1)/N S",
    .idea = N_("halves, quarters, ... are exchanged and added, then handed "
               "back the same way"),
    .when = N_("middling to large data on a power of two: few steps and few "
               "bytes"),
    .source = "Rabenseifner 2004; Thakur, Rabenseifner & Gropp 2005",
};
