/* SPDX-License-Identifier: MIT */
/* All-to-all by swapping.
 *
 * In each step ranks meet in pairs, as in a round-robin tournament, and each
 * sends the other its share.  What a rank receives takes the place of what it
 * sends, so that it works in place without room for a second copy.  N-1 steps;
 * N if N is odd, because one rank rests in each.  Out of place it does this in
 * scratch, whose slots take any chunk: a rank's output has slots as long as its
 * own share.
 *
 * Source: MPICH, alltoall_intra_pairwise_sendrecv_replace.c, goes through the
 * same pairs in another order. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static int
count_rounds(const struct coll_options *o)
{
    return o->nranks == 1 ? 0 : o->nranks - 1 + o->nranks % 2;
}

/* The rank that rank i meets in round k; i if it rests.  Their sum is k, modulo
 * the number of rounds, which is odd.  If the number of ranks is even, the last
 * one meets the one that would meet itself. */
static int
find_partner(int i, int k, int nranks, int nrounds)
{
    int peer = i < nrounds ? (k - i + nrounds) % nrounds
                           : k * ((nrounds + 1) / 2) % nrounds;

    return peer == i && nrounds < nranks ? nranks - 1 : peer;
}

static void
alltoall_exchange_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, out = schedule_outputs(s).first;
    int work = o->in_place ? 0 : schedule_scratch(s);

    if (!o->in_place)
        schedule_step(s, N_("copy"));
    for (int i = 0; i < n && !o->in_place; i++)
        work_move(s, TRANSFER_COPY, i, 0, i, work, n);
    for (int k = 0; k < count_rounds(o); k++) {
        schedule_step(s, N_("all-to-all"));
        for (int i = 0; i < n; i++) {
            int peer = find_partner(i, k, n, count_rounds(o));
            if (peer != i)
                work_move(s, TRANSFER_COPY, i, work + peer, peer, work + i, 1);
        }
    }
    if (!o->in_place)
        schedule_step(s, N_("copy"));
    for (int i = 0; i < n && !o->in_place; i++)
        work_move(s, TRANSFER_COPY, i, work, i, out, n);
}

static struct path
alltoall_exchange_path(const struct coll_options *o)
{
    return (struct path){count_rounds(o), count_rounds(o), count_rounds(o)};
}

const struct algorithm alltoall_exchange = {
    .name = N_("exchange"),
    .collective = "alltoall",
    .scratch = work_scratch,
    .build = alltoall_exchange_build,
    .path = alltoall_exchange_path,
    .formulas = {"N-1", "(N-1)/N S"},
    .holds = HOLDS_EVEN,
    .otherwise = {"N", "(N-1)/N S"},
    .idea = N_("ranks meet in pairs and swap what they have for each other"),
    .when = N_("large data in place: no second copy is needed"),
    .source = "MPICH, alltoall_intra_pairwise_sendrecv_replace.c",
};
