/* SPDX-License-Identifier: MIT */
#include "coll/lib/butterfly.h"

#include "base/translate.h"
#include "coll/lib/arithmetic.h"
#include "coll/lib/fold.h"
#include "coll/lib/work.h"

void
butterfly_build(struct schedule *s, const struct coll_options *o)
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

/* A seat that stands for another rank also sends it the result. */
int
butterfly_sent(const struct coll_options *o)
{
    return log2_ceil(o->nranks);
}

/* What a seat receives in the fold is added, what it gives back is not. */
struct path
butterfly_path(const struct coll_options *o)
{
    double steps = fold_steps(o);

    return (struct path){steps, steps, log2_ceil(o->nranks)};
}
