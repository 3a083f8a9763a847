/* SPDX-License-Identifier: MIT */
/* Algorithms on a binomial tree: broadcast, reduce, scatter and gather in
 * ceil(log2 N) steps, and what is made of them.  They win for small data, where
 * steps are what counts.
 *
 * Broadcast: every rank that has the data passes it on, so that in each step
 * twice as many have it; the root sends it in each of them.  Reduce, the same
 * tree upwards: in each step half of the ranks that still have a part of the
 * sum send it to their parent; every rank but the root sends the data once.
 *
 * Scatter: the root sends half of the data to a rank half way, which
 * distributes it there, and so on; the root sends the least possible, and the
 * ranks in between forward shares.  Gather, upwards: a rank sends the data of
 * its subtree to its parent in one piece; the rank with the largest subtree
 * sends N/2 times the data.
 *
 * All-reduce as a reduce and a broadcast: all data goes up to rank 0, and the
 * sum comes down again.  2 ceil(log2 N) steps; rank 0 sends the data log2 N
 * times.
 *
 * Scatter-allgather broadcast, van de Geijn's: the root deals out N chunks,
 * then they travel round the ring until everyone has all.  ceil(log2 N) + N-1
 * steps; the root sends 2(N-1)/N of the data, where a tree would send it log2 N
 * times.  Wins for large data.  As in MPICH the ring also carries data that a
 * rank already has.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
 * communication operations in MPICH", IJHPCA 19 (2005), 4.1, 4.2 and 4.4; M.
 * Barnett, L. Shuler, R. van de Geijn, S. Gupta, D. Payne, J. Watts,
 * "Interprocessor collective communication library (InterCom)", SHPCC 1994. */
#include "base/bounds.h"
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

enum { WHOLE = -1 };

/* Moves the slots of relative ranks first .. last - 1; as true ranks they may
 * wrap around. */
static void
move_units(struct schedule *s, int src, int dst, int slots, int first,
           int last)
{
    int n = s->nranks, begin = first % n, count = last - first;
    int head = least(count, n - begin);

    work_copy(s, src, dst, slots + begin, head);
    if (count > head)
        work_copy(s, src, dst, slots, count - head);
}

/* Uses every link of the tree once, in steps of one phase.  A rank relative to
 * the root, modulo N, has the parent with the lowest set bit cleared
 * (topology_binomial_parent): c is a child over distance d, c - d its parent.
 * Going down, the link over the largest distance is used first, so that the
 * largest subtree begins first; going up it is the other way round.
 *
 * A link carries one slot, if `shift` is WHOLE; else it carries together those
 * of the child's subtree: from `slot` on, slot shift + i, modulo N, is that of
 * the rank i places after the root. */
static void
use_links(struct schedule *s, int root, const char *phase, bool up,
          enum transfer_op op, int slot, int shift)
{
    int n = s->nranks, levels = log2_ceil(n);

    for (int k = 0; k < levels; k++) {
        int d = 1 << (up ? k : levels - 1 - k);
        schedule_step(s, phase);
        for (int c = d; c < n; c += 2 * d) {
            int child = (root + c) % n, parent = (root + c - d) % n;
            int src = up ? child : parent, dst = up ? parent : child;
            if (shift == WHOLE)
                work_move(s, op, src, slot, dst, slot, 1);
            else
              move_units(s, src, dst, slot, shift + c, shift + least(c + d, n));
        }
    }
}

/* Moves all data, or every rank's share, down from the root or up to it. */
static void
binomial_build(struct schedule *s, const struct coll_options *o)
{
    const struct collective *c = s->collective;
    bool whole = c->input == c->output;
    int work = work_begin(s);

    use_links(s, o->root, c->title, c->output_at == AT_ROOT,
              c->reduces ? TRANSFER_REDUCE : TRANSFER_COPY, work,
              whole ? WHOLE : o->root);
    work_end(s, work);
}

static void
reduce_broadcast_build(struct schedule *s, const struct coll_options *o)
{
    int work = work_begin(s);

    use_links(s, o->root, N_("reduce"), true, TRANSFER_REDUCE, work, WHOLE);
    use_links(s, o->root, N_("broadcast"), false, TRANSFER_COPY, work, WHOLE);
}

/* Chunk i first goes to the rank i places after the root. */
static void
scatter_allgather_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, work = work_begin(s);

    use_links(s, o->root, N_("scatter"), false, TRANSFER_COPY, work, 0);
    for (int k = 0; k < n - 1; k++) {
        schedule_step(s, N_("all-gather"));
        for (int i = 0; i < n; i++)
            work_copy(s, (o->root + i) % n, (o->root + i + 1) % n,
                      work + modulo(i - k, n), 1);
    }
}

static struct path
binomial_path(const struct coll_options *o)
{
    double levels = log2_ceil(o->nranks);

    return (struct path){levels, levels, levels};
}

static struct path
reduce_broadcast_path(const struct coll_options *o)
{
    double levels = log2_ceil(o->nranks);

    return (struct path){2 * levels, 2 * levels, levels};
}

static struct path
scatter_allgather_path(const struct coll_options *o)
{
    double others = o->nranks - 1;

    return (struct path){log2_ceil(o->nranks) + others, 2 * others, 0};
}

const struct algorithm broadcast_binomial = {
    .name = N_("binomial"),
    .collective = "broadcast",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .build = binomial_build,
    .path = binomial_path,
    .formulas = {"ceil(log2 N)", "ceil(log2 N) S"},
    .idea = N_("whoever has the data passes it on: twice as many have it "
               "after each step"),
    .when = N_("small data: the fewest steps there can be"),
    .mpi = "6 binomial",
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm reduce_binomial = {
    .name = N_("binomial"),
    .collective = "reduce",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .build = binomial_build,
    .path = binomial_path,
    .formulas = {"ceil(log2 N)", "S"},
    .idea = N_("sums grow up the tree: half of the ranks are done after each "
               "step"),
    .when = N_("small data: the fewest steps there can be"),
    .mpi = "5 binomial",
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm scatter_binomial = {
    .name = N_("binomial"),
    .collective = "scatter",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .scratch = work_scratch,
    .build = binomial_build,
    .path = coll_path_doubling,
    .formulas = {"ceil(log2 N)", "(N-1)/N S"},
    .idea = N_("half of what is left goes to a rank half way, which deals it "
               "out there"),
    .when = N_("small data: the fewest steps there can be"),
    .mpi = "2 binomial",
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm gather_binomial = {
    .name = N_("binomial"),
    .collective = "gather",
    .aliases = {"tree"},
    .topology = TOPOLOGY_BINOMIAL,
    .build = binomial_build,
    .path = coll_path_doubling,
    .formulas = {"ceil(log2 N)", "N/2 S"},
    .holds = HOLDS_POWER_OF_TWO,
    .otherwise = {"ceil(log2 N)", NULL},
    .idea = N_("what a subtree has gathered goes up to its parent in one "
               "piece"),
    .when = N_("small data: the fewest steps there can be"),
    .mpi = "2 binomial",
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm allreduce_reduce_broadcast = {
    .name = N_("reduce-broadcast"),
    .collective = "allreduce",
    .aliases = {"binomial"},
    .topology = TOPOLOGY_BINOMIAL,
    .build = reduce_broadcast_build,
    .path = reduce_broadcast_path,
    .formulas = {"2 ceil(log2 N)", "ceil(log2 N) S"},
    .idea = N_("a reduce to rank 0, then a broadcast from it"),
    .when = N_("where only a reduce and a broadcast are at hand"),
    .mpi = "2 nonoverlapping",
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm broadcast_scatter_allgather = {
    .name = N_("scatter-allgather"),
    .collective = "broadcast",
    .aliases = {"van-de-geijn"},
    .pieces = coll_ranks,
    .build = scatter_allgather_build,
    .path = scatter_allgather_path,
    .formulas = {"ceil(log2 N) + N-1", "2(N-1)/N S"},
    .idea = N_("the root deals out chunks along a tree, then all pass them "
               "round"),
    .when = N_("large data: the root sends it twice, not log2 N times"),
    .mpi = "9 scatter_allgather_ring",
    .source = "Barnett et al. 1994; Thakur, Rabenseifner & Gropp 2005",
};
