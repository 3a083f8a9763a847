/* SPDX-License-Identifier: MIT */
#include "coll/lib/fold.h"

#include "base/translate.h"
#include "coll/lib/parts.h"

struct fold
fold_of(int nranks, bool cube)
{
    int seats = 1 << log2_floor(nranks);

    return (struct fold){nranks, seats, nranks - seats, cube};
}

int
fold_rank(const struct fold *f, int seat)
{
    if (f->cube)
        return seat;
    return seat < f->folded ? 2 * seat : seat + f->folded;
}

int
fold_partner(const struct fold *f, int seat)
{
    if (seat >= f->folded)
        return -1;
    return f->cube ? f->seats + seat : 2 * seat + 1;
}

void
fold_runs(const struct fold *f, int first, int count, struct fold_run runs[2])
{
    int last = first + count, folded;

    if (!f->cube) {
        int begin = fold_rank(f, first);
        int end = last < f->seats ? fold_rank(f, last) : f->nranks;
        runs[0] = (struct fold_run){begin, end - begin};
        runs[1] = (struct fold_run){0, 0};
        return;
    }
    folded = (last < f->folded ? last : f->folded) - first;
    runs[0] = (struct fold_run){first, count};
    runs[1] = (struct fold_run){f->seats + first, folded > 0 ? folded : 0};
}

void
fold_in(struct schedule *s, const struct fold *f, int slot, int nslots)
{
    if (f->folded > 0)
        schedule_step(s, N_("fold"));
    for (int seat = 0; seat < f->folded; seat++)
        work_reduce(s, fold_partner(f, seat), fold_rank(f, seat), slot,
                    nslots);
}

void
fold_out(struct schedule *s, const struct fold *f, int slot, int nslots)
{
    if (f->folded > 0)
        schedule_step(s, N_("unfold"));
    for (int seat = 0; seat < f->folded; seat++)
        work_copy(s, fold_rank(f, seat), fold_partner(f, seat), slot, nslots);
}
