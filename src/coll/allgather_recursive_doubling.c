/* SPDX-License-Identifier: MIT */
/* Recursive-doubling all-gather and recursive-halving reduce-scatter.
 *
 * All-gather: ranks exchange all they have with the one whose number differs in
 * bit 0, then 1, 2, ...: what they have doubles.  Reduce-scatter is the same
 * backwards: ranks exchange with the one half way across, each sends the half
 * that the other's side owns and adds what it receives to its own; then within
 * halves, quarters, ...  log2 N steps and no more bytes than a ring, on a power
 * of two; else floor(log2 N) + 2 steps, and of two neighbours one waits while
 * the other works for both (coll/lib/fold.h).  They win for small data.
 *
 * On a hypercube ranks stand at the corners of a cube of log2 N dimensions and
 * exchange along one dimension after the other, over the cube's links alone.
 * Ranks beyond a power of two are folded onto the corner that they have a link
 * to.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.1 and 4.3;
 * nccl-tests, src/hypercube.cu (hypercube_perf). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/fold.h"
#include "coll/lib/parts.h"

/* Sends two runs of blocks, either of which may be empty. */
static void
send_runs(struct schedule *s, int src, int dst, int work,
          const struct fold_run runs[2])
{
    for (int i = 0; i < 2; i++)
        if (runs[i].count > 0)
            work_move(s, s->collective->reduces ? TRANSFER_REDUCE
                                                : TRANSFER_COPY,
                      src, work + runs[i].first, dst, work + runs[i].first,
                      runs[i].count);
}

/* Seats exchange over distance d: what the other's side owns, if it is added,
 * else what this side has. */
static void
exchange(struct schedule *s, const struct fold *f, int work, int d)
{
    schedule_step(s, s->collective->title);
    for (int seat = 0; seat < f->seats; seat++) {
        int other = seat ^ d;
        struct fold_run runs[2];
        fold_runs(f, (s->collective->reduces ? other : seat) / d * d, d, runs);
        send_runs(s, fold_rank(f, seat), fold_rank(f, other), work, runs);
    }
}

static void
allgather_build(struct schedule *s, const struct coll_options *o)
{
    struct fold f = fold_of(o->nranks, s->topology.kind == TOPOLOGY_CUBE);
    int work = work_begin(s);

    if (f.folded > 0)
        schedule_step(s, N_("fold"));
    for (int seat = 0; seat < f.folded; seat++) {
        int partner = fold_partner(&f, seat);
        work_copy(s, partner, fold_rank(&f, seat), work + partner, 1);
    }
    for (int d = 1; d < f.seats; d *= 2)
        exchange(s, &f, work, d);
    if (f.folded > 0)
        schedule_step(s, N_("unfold"));
    for (int seat = 0; seat < f.folded; seat++) { /* all but its own */
        int partner = fold_partner(&f, seat);
        struct fold_run others[2] = {
            {0, partner}, {partner + 1, o->nranks - partner - 1}};
        send_runs(s, fold_rank(&f, seat), partner, work, others);
    }
}

static void
reduce_scatter_build(struct schedule *s, const struct coll_options *o)
{
    struct fold f = fold_of(o->nranks, false);
    int work = work_begin(s);

    fold_in(s, &f, work, o->nranks);
    for (int d = f.seats / 2; d > 0; d /= 2)
        exchange(s, &f, work, d);
    if (f.folded > 0)
        schedule_step(s, N_("unfold"));
    for (int seat = 0; seat < f.folded; seat++)
        work_copy(s, fold_rank(&f, seat), fold_partner(&f, seat),
                  work + fold_partner(&f, seat), 1);
    work_end(s, work);
}

const struct algorithm allgather_recursive_doubling = {
    .name = N_("recursive-doubling"),
    .collective = "allgather",
    .build = allgather_build,
    .path = coll_path_doubling_power,
    .steps_formula = "log2 N",
    .bytes_formula = "(N-1) S",
    .idea =
        N_("after each exchange a rank has twice as many blocks to exchange"),
    .when = N_("small data on a power of two"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm allgather_hypercube = {
    .name = N_("hypercube"),
    .collective = "allgather",
    .topology = TOPOLOGY_CUBE,
    .build = allgather_build,
    .path = coll_path_doubling_power,
    .steps_formula = "log2 N",
    .bytes_formula = "(N-1) S",
    .idea = N_("ranks exchange all they have, along one dimension of a cube "
               "after another"),
    .when = N_("small data on cube wiring"),
    .source = "nccl-tests, src/hypercube.cu",
};

const struct algorithm reduce_scatter_recursive_halving = {
    .name = N_("recursive-halving"),
    .collective = "reduce-scatter",
    .scratch = work_scratch,
    .build = reduce_scatter_build,
    .path = coll_path_doubling_power,
    .steps_formula = "log2 N",
    .bytes_formula = "(N-1)/N S",
    .idea = N_("halves are exchanged and added, then halves of what is left"),
    .when = N_("small to middling data on a power of two"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
