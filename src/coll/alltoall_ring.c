/* SPDX-License-Identifier: MIT */
/* Ring all-to-all.
 *
 * Ranks only send to the next.  A rank's N-1 shares set out together; each
 * rank keeps the first of those it receives and passes on the rest.
 * N-1 steps; every rank sends (N-1)/2 times its data.  For rings that have no
 * other links. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static int
alltoall_ring_scratch(const struct coll_options *o)
{
    return o->nranks > 2 ? o->nranks - 2 : 0;
}

/* In step k rank i passes on n-k shares of the rank k-1 places before it; in
 * step 1 they are its own, in the order of ranks. */
static void
pass_shares_on(struct schedule *s, int i, int k)
{
    int n = s->nranks, next = (i + 1) % n, pile = schedule_scratch(s);
    int keep = schedule_outputs(s).first + modulo(i - k + 1, n);
    int first = k == 1 ? next : pile;

    work_move(s, TRANSFER_COPY, i, first, next, keep, 1);
    if (k == 1) {
        for (int j = 1; j < n - 1; j++)
            work_move(s, TRANSFER_COPY, i, (next + j) % n, next,
                      pile + j - 1, 1);
    } else if (n - k > 1) {
        work_move(s, TRANSFER_COPY, i, pile + 1, next, pile, n - k - 1);
    }
}

static void
alltoall_ring_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, out = schedule_outputs(s).first;

    if (!o->in_place)
        schedule_step(s, N_("copy"));
    for (int i = 0; i < n && !o->in_place; i++)
        work_move(s, TRANSFER_COPY, i, i, i, out + i, 1);
    for (int k = 1; k < n; k++) {
        schedule_step(s, N_("all-to-all"));
        for (int i = 0; i < n; i++)
            pass_shares_on(s, i, k);
    }
}

static struct path
alltoall_ring_path(const struct coll_options *o)
{
    double n = o->nranks;

    return (struct path){n - 1, n * (n - 1) / 2, 0};
}

const struct algorithm alltoall_ring = {
    .name = N_("ring"),
    .collective = "alltoall",
    .topology = TOPOLOGY_RING,
    .scratch = alltoall_ring_scratch,
    .build = alltoall_ring_build,
    .path = alltoall_ring_path,
    .formulas = {"N-1", "(N-1)/2 S"},
    .idea = N_("a rank's shares travel round the ring together; each rank they "
               "reach keeps one"),
    .when = N_("where there are no other links than the ring's"),
    .source = "store and forward on a ring",
};
