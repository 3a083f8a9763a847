/* SPDX-License-Identifier: MIT */
#include "coll/lib/butterfly.h"

#include "base/translate.h"
#include "coll/lib/arithmetic.h"
#include "coll/lib/work.h"

void
butterfly_build(struct schedule *s, const struct fold *f)
{
    int work = work_begin(s);

    if (f->folded > 0)
        schedule_step(s, N_("fold"));
    for (int seat = 0; seat < f->folded; seat++)
        work_reduce(s, fold_partner(f, seat), fold_rank(f, seat), work, 1);
    for (int d = 1; d < f->seats; d *= 2) {
        schedule_step(s, N_("exchange"));
        for (int seat = 0; seat < f->seats; seat++)
            work_reduce(s, fold_rank(f, seat), fold_rank(f, seat ^ d), work,
                        1);
    }
    if (f->folded > 0)
        schedule_step(s, N_("unfold"));
    for (int seat = 0; seat < f->folded; seat++)
        work_copy(s, fold_rank(f, seat), fold_partner(f, seat), work, 1);
}

int
butterfly_steps(const struct fold *f)
{
    return log2_floor(f->seats) + (f->folded > 0 ? 2 : 0);
}

/* A seat that stands for another rank also sends it the result. */
int
butterfly_sent(const struct fold *f)
{
    return log2_floor(f->seats) + (f->folded > 0);
}

/* What a seat receives in the fold is added, what it gives back is not. */
struct path
butterfly_path(const struct fold *f)
{
    double steps = butterfly_steps(f);

    return (struct path){steps, steps, steps - (f->folded > 0)};
}
