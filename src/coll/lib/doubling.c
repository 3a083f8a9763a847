/* SPDX-License-Identifier: MIT */
#include "coll/lib/doubling.h"

#include "base/translate.h"
#include "coll/lib/counts.h"
#include "coll/lib/fold.h"
#include "coll/lib/work.h"

static void
send_runs(struct schedule *s, int src, int dst, int work,
          const struct fold_run runs[2])
{
    for (int i = 0; i < 2; i++)
        if (runs[i].count > 0)
            work_copy(s, src, dst, work + runs[i].first, runs[i].count);
}

/* Sends all blocks except the partner's own. */
static void
give_back(struct schedule *s, int src, int partner, int work)
{
    int n = s->nranks;

    if (partner > 0)
        work_copy(s, src, partner, work, partner);
    if (partner + 1 < n)
        work_copy(s, src, partner, work + partner + 1, n - partner - 1);
}

void
doubling_build(struct schedule *s, const struct coll_options *o)
{
    struct fold f = fold_of(o->nranks, s->topology.kind == TOPOLOGY_CUBE);
    int work = work_begin(s);

    if (f.folded > 0)
        schedule_step(s, N_("fold"));
    for (int seat = 0; seat < f.folded; seat++) {
        int partner = fold_partner(&f, seat);
        work_copy(s, partner, fold_rank(&f, seat), work + partner, 1);
    }
    for (int d = 1; d < f.seats; d *= 2) {
        schedule_step(s, N_("all-gather"));
        for (int seat = 0; seat < f.seats; seat++) {
            struct fold_run runs[2];
            fold_runs(&f, seat / d * d, d, runs);
            send_runs(s, fold_rank(&f, seat), fold_rank(&f, seat ^ d), work,
                      runs);
        }
    }
    if (f.folded > 0)
        schedule_step(s, N_("unfold"));
    for (int seat = 0; seat < f.folded; seat++)
        give_back(s, fold_rank(&f, seat), fold_partner(&f, seat), work);
}

int
doubling_sent(const struct coll_options *o)
{
    struct fold f = fold_of(o->nranks, false);
    int most = 0;

    for (int seat = 0; seat < f.seats; seat++) {
        int sent = fold_partner(&f, seat) >= 0 ? o->nranks - 1 : 0;
        for (int d = 1; d < f.seats; d *= 2) {
            struct fold_run runs[2];
            fold_runs(&f, seat / d * d, d, runs);
            sent += runs[0].count + runs[1].count;
        }
        most = sent > most ? sent : most;
    }
    return most;
}

struct path
doubling_path(const struct coll_options *o)
{
    return coll_path_of_power(o, coll_path_doubling(o));
}
