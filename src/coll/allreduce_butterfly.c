/* SPDX-License-Identifier: MIT */
/* Butterfly all-reduce: recursive doubling.
 *
 * Ranks exchange sums with the one whose number differs in bit 0, then 1, 2,
 * ...: after k steps 2^k ranks have the same sum, of all their data.  Both add
 * the same two sums, and a + b is b + a: all ranks end with the same bits.
 * log2 N steps, and every rank sends all its data in each of them.  On other
 * numbers of ranks floor(log2 N) + 2 steps: of two neighbours one waits while
 * the other works for both (coll/lib/fold.h), and sends it the result.  Wins
 * for small data.
 *
 * The hypercube's dimension exchange is the same over the links of a cube of
 * log2 N dimensions.  Ranks beyond a power of two are folded onto the corner
 * that they have a link to.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.5; G. Fox
 * et al., "Solving problems on concurrent processors", 1988. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/fold.h"
#include "coll/lib/parts.h"

static void
build(struct schedule *s, const struct coll_options *o)
{
    struct fold f = fold_of(o->nranks, s->topology.kind == TOPOLOGY_CUBE);
    int work = work_begin(s);

    fold_in(s, &f, work, 1);
    for (int d = 1; d < f.seats; d *= 2) {
        schedule_step(s, N_("exchange"));
        for (int seat = 0; seat < f.seats; seat++)
            work_reduce(s, fold_rank(&f, seat), fold_rank(&f, seat ^ d), work,
                        1);
    }
    fold_out(s, &f, work, 1);
}

/* What a seat receives in the fold is added, what it gives back is not. */
static struct path
path(const struct coll_options *o)
{
    double levels = log2_floor(o->nranks), all = log2_ceil(o->nranks);
    double steps = all > levels ? levels + 2 : levels;

    return (struct path){steps, steps, all};
}

const struct algorithm allreduce_butterfly = {
    .name = N_("butterfly"),
    .collective = "allreduce",
    .aliases = {"recursive-doubling"},
    .build = build,
    .path = path,
    .steps_formula = "log2 N",
    .bytes_formula = "log2 N S",
    .idea = N_("ranks exchange sums with the one 1, 2, 4, ... away: sums of "
               "twice as many after each step"),
    .when = N_("small data on a power of two: the fewest steps there can be"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm allreduce_hypercube = {
    .name = N_("hypercube"),
    .collective = "allreduce",
    .topology = TOPOLOGY_CUBE,
    .build = build,
    .path = path,
    .steps_formula = "log2 N",
    .bytes_formula = "log2 N S",
    .idea =
        N_("ranks exchange sums along one dimension of a cube after another"),
    .when = N_("small data on cube wiring"),
    .source = "Fox et al. 1988",
};
