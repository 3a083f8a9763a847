/* SPDX-License-Identifier: MIT */
/* Bruck's all-gather and all-to-all, for small data: ceil(log2 N) steps for any
 * N.
 *
 * All-gather: a rank holds a run of blocks that begins with its own and doubles
 * in every step.  It sends what it has to the rank d before it and receives as
 * much from the rank d after it, d = 1, 2, 4, ...; the last step sends what is
 * missing.  No more bytes than a ring.  Bruck keeps his blocks rotated, own
 * first, and turns them back at the end; here every block goes where it belongs
 * at once.
 *
 * All-to-all: shares are sorted by how many places their destination is ahead.
 * A share for i places ahead hops by the powers of two that add up to i: in the
 * step with distance d all shares with that bit in i hop together.  Shares
 * travel several times.
 *
 * Source: J. Bruck, C. Ho, S. Kipnis, E. Upfal, D. Weathersby, "Efficient
 * algorithms for all-to-all communications in multiport message-passing
 * systems", IEEE TPDS 8 (1997). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static void
allgather_bruck_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);

    for (int d = 1; d < n; d *= 2) {
        int count = d < n - d ? d : n - d;
        schedule_step(s, N_("all-gather"));
        for (int i = 0; i < n; i++) {
            int head = i + count > n ? n - i : count;
            work_copy(s, i, modulo(i - d, n), work + i, head);
            if (count > head)
                work_copy(s, i, modulo(i - d, n), work, count - head);
        }
    }
}

/* The last d of every 2d shares have bit d. */
static void
hop_shares(struct schedule *s, int rank, int d)
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
            hop_shares(s, rank, d);
    }
    if (n > 1)
        schedule_step(s, N_("copy"));
    for (int rank = 0; rank < n && n > 1; rank++)
        for (int i = o->in_place; i < n; i++)
            work_move(s, TRANSFER_COPY, rank, i == 0 ? rank : pile + i, rank,
                      out + modulo(rank - i, n), 1);
}

static struct path
alltoall_bruck_path(const struct coll_options *o)
{
    double sent = 0;

    for (int i = 0; i < o->nranks; i++)
        sent += __builtin_popcount((unsigned)i);
    return (struct path){log2_ceil(o->nranks), sent, 0};
}

const struct algorithm allgather_bruck = {
    .name = N_("bruck"),
    .collective = "allgather",
    .build = allgather_bruck_build,
    .path = coll_path_doubling,
    .formulas = {"ceil(log2 N)", "(N-1) S"},
    .idea = N_("runs of blocks that double: to the rank 1, 2, 4, ... before"),
    .when = N_("small data on any number of ranks"),
    .mpi = "2 bruck-k-fanout",
    .source = "Bruck et al. 1997",
};

const struct algorithm alltoall_bruck = {
    .name = N_("bruck"),
    .collective = "alltoall",
    .scratch = coll_ranks_if_others,
    .build = alltoall_bruck_build,
    .path = alltoall_bruck_path,
    .formulas = {"ceil(log2 N)", "log2 N / 2 S"},
    .holds = HOLDS_POWER_OF_TWO,
    .otherwise = {"ceil(log2 N)", NULL},
    .idea = N_("shares hop 1, 2, 4, ... places, as their way is made of in "
               "binary"),
    .when = N_("small data: few steps, though shares travel several times"),
    .mpi = "3 modified_bruck",
    .source = "Bruck et al. 1997",
};
