/* SPDX-License-Identifier: MIT */
/* Bruck's all-to-all.
 *
 * Shares are sorted by how many places their destination is ahead.  A share for
 * i places ahead hops by the powers of two that add up to i: in the step with
 * distance d all shares with that bit in i hop together.  ceil(log2 N) steps
 * for any N, instead of N-1; shares travel several times.  Wins for small data.
 *
 * Source: J. Bruck, C. Ho, S. Kipnis, E. Upfal, D. Weathersby, IEEE TPDS 8
 * (1997). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/arithmetic.h"
#include "coll/lib/counts.h"
#include "coll/lib/work.h"

/* Of every 2d shares, the last d have bit d. */
static void
hop(struct schedule *s, int rank, int d)
{
    int n = s->nranks, pile = schedule_scratch(s);

    for (int i = d; i < n; i += 2 * d)
        work_move(s, TRANSFER_COPY, rank, pile + i, (rank + d) % n, pile + i,
                  i + d < n ? d : n - i);
}

static void
alltoall_bruck_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, out = schedule_outputs(s).first;
    int pile = schedule_scratch(s);

    if (n == 1 && o->in_place)
        return;
    schedule_step(s, N_("copy"));
    for (int rank = 0; rank < n; rank++)
        for (int i = n > 1; i < n; i++)
            work_move(s, TRANSFER_COPY, rank, (rank + i) % n, rank,
                      n > 1 ? pile + i : out, 1);
    for (int d = 1; d < n; d *= 2) {
        schedule_step(s, N_("all-to-all"));
        for (int rank = 0; rank < n; rank++)
            hop(s, rank, d);
    }
    if (n > 1)
        schedule_step(s, N_("copy"));
    for (int rank = 0; rank < n && n > 1; rank++)
        for (int i = o->in_place; i < n; i++)
            work_move(s, TRANSFER_COPY, rank, i == 0 ? rank : pile + i, rank,
                      out + modulo(rank - i, n), 1);
}

static int
sent(const struct coll_options *o)
{
    int sum = 0;

    for (int i = 0; i < o->nranks; i++)
        sum += __builtin_popcount((unsigned)i);
    return sum;
}

static struct path
path(const struct coll_options *o)
{
    return (struct path){coll_levels(o), sent(o), 0};
}

const struct algorithm alltoall_bruck = {
    .name = N_("bruck"),
    .collective = "alltoall",
    .pieces = coll_one,
    .scratch = coll_ranks_if_others,
    .build = alltoall_bruck_build,
    .steps = coll_levels,
    .sent = sent,
    .path = path,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "log2 N / 2 S",
    .idea = N_("shares hop 1, 2, 4, ... places, as their way is made of in "
               "binary"),
    .when = N_("small data: few steps, though shares travel several times"),
    .source = "Bruck et al. 1997",
};
