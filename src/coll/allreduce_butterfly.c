/* SPDX-License-Identifier: MIT */
/* Exchanges with the rank whose number differs in one bit, in all dimensions of
 * a cube: all-reduce, all-gather, reduce-scatter.
 *
 * Butterfly all-reduce, or recursive doubling: ranks exchange sums with the
 * one whose number differs in bit 0, then 1, 2, ...: after k steps 2^k ranks
 * have the same sum, of all their data.  Both add the same two sums, and a + b
 * is b + a: all ranks end with the same bits.  log2 N steps, and every rank
 * sends all its data in each of them.  Wins for small data.
 *
 * Recursive-doubling all-gather: ranks exchange all they have in the same
 * order, and what they have doubles.  Recursive-halving reduce-scatter is the
 * same backwards: ranks exchange with the one half way across, each sends the
 * half that the other's side owns and adds what it receives to its own; then
 * within halves, quarters, ...  log2 N steps and no more bytes than a ring.
 * They win for small data.
 *
 * Halving-doubling all-reduce, Rabenseifner's, is a reduce-scatter and the same
 * backwards, the all-gather.  2 log2 N steps and no more bytes than a ring: few
 * steps and few bytes.  Here the nearest ranks exchange first, and so the most:
 * where neighbours share a host, little is left to send to others.  The halves
 * that seats keep are chosen by their bits from the lowest up, so that a seat
 * ends with the chunk whose number has these bits backwards.
 *
 * All this is so on a power of two.  With N = p + e ranks, p the largest
 * power of two, e ranks are folded: they give their data to a partner first,
 * and get the result from it at the end, in two more steps.  In between, the p
 * ranks that stay are numbered 0 to p-1 ("seats").  Of neighbours 2i and 2i+1,
 * for i < e, the even one stays.
 *
 * On a hypercube ranks stand at the corners of a cube of log2 N dimensions
 * and exchange along one dimension after the other, over the cube's links
 * alone. There rank i stays for p+i, since those two have a link.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.1, 4.3
 * and 4.5; R. Rabenseifner, "Optimization of collective reduction operations",
 * ICCS 2004, and Open MPI's coll_base_allreduce.c; G. Fox et al., "Solving
 * problems on concurrent processors", 1988; nccl-tests, src/hypercube.cu
 * (hypercube_perf). */
#include <math.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

struct fold {
    int nranks;
    int seats, folded; /* p and e */
    bool cube;
};

/* Consecutive ranks, or chunks. */
struct run {
    int first, count;
};

static int
seats_of(const struct coll_options *o)
{
    return 1 << log2_floor(o->nranks);
}

static struct fold
fold_of(const struct schedule *s, const struct coll_options *o)
{
    int seats = seats_of(o);

    return (struct fold){o->nranks, seats, o->nranks - seats,
                         s->topology.kind == TOPOLOGY_CUBE};
}

/* The rank in a seat. */
static int
seated_rank(const struct fold *f, int seat)
{
    if (f->cube)
        return seat;
    return seat < f->folded ? 2 * seat : seat + f->folded;
}

/* The rank that one of the first e seats also stands for. */
static int
folded_rank(const struct fold *f, int seat)
{
    return f->cube ? f->seats + seat : 2 * seat + 1;
}

/* The first step, in which slots of those that wait are added to their seats',
 * and the last one, in which they get them back. */
static void
fold_in(struct schedule *s, const struct fold *f, int slot, int nslots)
{
    if (f->folded > 0)
        schedule_step(s, N_("fold"));
    for (int seat = 0; seat < f->folded; seat++)
        work_reduce(s, folded_rank(f, seat), seated_rank(f, seat), slot,
                    nslots);
}

static void
fold_out(struct schedule *s, const struct fold *f, int slot, int nslots)
{
    if (f->folded > 0)
        schedule_step(s, N_("unfold"));
    for (int seat = 0; seat < f->folded; seat++)
        work_copy(s, seated_rank(f, seat), folded_rank(f, seat), slot, nslots);
}

static void
butterfly_build(struct schedule *s, const struct coll_options *o)
{
    struct fold f = fold_of(s, o);
    int work = work_begin(s);

    fold_in(s, &f, work, 1);
    for (int d = 1; d < f.seats; d *= 2) {
        schedule_step(s, N_("exchange"));
        for (int seat = 0; seat < f.seats; seat++)
            work_reduce(s, seated_rank(&f, seat), seated_rank(&f, seat ^ d),
                        work, 1);
    }
    fold_out(s, &f, work, 1);
}

/* The slots of seats first .. first + count - 1: a chunk for each seat, or for
 * each rank that one of them stands for.  These are up to two runs; the second
 * one may be empty. */
static void
find_runs(const struct schedule *s, const struct fold *f, int first, int count,
          struct run runs[2])
{
    int last = first + count, begin = seated_rank(f, first);
    int end = last < f->seats ? seated_rank(f, last) : f->nranks;

    runs[0] = (struct run){first, count};
    runs[1] = (struct run){0, 0};
    if (s->pieces > 1)
        return;
    if (f->cube)
        runs[1] = (struct run){f->seats + first,
                               most(least(last, f->folded) - first, 0)};
    else
        runs[0] = (struct run){begin, end - begin};
}

static void
send_runs(struct schedule *s, enum transfer_op op, int src, int dst, int work,
          const struct run runs[2])
{
    for (int i = 0; i < 2; i++)
        if (runs[i].count > 0)
            work_move(s, op, src, work + runs[i].first, dst,
                      work + runs[i].first, runs[i].count);
}

/* The number whose bits are those of a seat backwards. */
static int
reverse_bits(const struct fold *f, int seat)
{
    int number = 0;

    for (int bit = 1; bit < f->seats; bit *= 2)
        number = 2 * number + ((seat & bit) != 0);
    return number;
}

/* Seats exchange what the other's side owns, which is added, half as much in
 * each step; or what their own side has, twice as much in each step.  They
 * exchange the most with the farthest seat, or with `near` the nearest one. */
static void
exchange_runs(struct schedule *s, const struct fold *f, int work, bool adds,
              bool near)
{
    for (int k = 1; k < f->seats; k *= 2) {
        int count = adds ? f->seats / 2 / k : k;
        int d = near ? f->seats / 2 / count : count;
        schedule_step(s, adds ? N_("reduce-scatter") : N_("all-gather"));
        for (int seat = 0; seat < f->seats; seat++) {
            int other = seat ^ d, side = adds ? other : seat;
            int owned = near ? reverse_bits(f, side) : side;
            struct run runs[2];
            find_runs(s, f, owned / count * count, count, runs);
            send_runs(s, adds ? TRANSFER_REDUCE : TRANSFER_COPY,
                      seated_rank(f, seat), seated_rank(f, other), work, runs);
        }
    }
}

static void
halving_doubling_build(struct schedule *s, const struct coll_options *o)
{
    struct fold f = fold_of(s, o);
    int work = work_begin(s);

    fold_in(s, &f, work, f.seats);
    exchange_runs(s, &f, work, true, true);
    exchange_runs(s, &f, work, false, true);
    fold_out(s, &f, work, f.seats);
}

static void
recursive_doubling_build(struct schedule *s, const struct coll_options *o)
{
    struct fold f = fold_of(s, o);
    int work = work_begin(s);

    if (f.folded > 0)
        schedule_step(s, N_("fold"));
    for (int seat = 0; seat < f.folded; seat++)
        work_copy(s, folded_rank(&f, seat), seated_rank(&f, seat),
                  work + folded_rank(&f, seat), 1);
    exchange_runs(s, &f, work, false, false);
    if (f.folded > 0)
        schedule_step(s, N_("unfold"));
    for (int seat = 0; seat < f.folded; seat++) { /* all but its own */
        int rank = folded_rank(&f, seat);
        struct run others[2] = {{0, rank}, {rank + 1, o->nranks - rank - 1}};
        send_runs(s, TRANSFER_COPY, seated_rank(&f, seat), rank, work, others);
    }
}

static void
recursive_halving_build(struct schedule *s, const struct coll_options *o)
{
    struct fold f = fold_of(s, o);
    int work = work_begin(s);

    fold_in(s, &f, work, o->nranks);
    exchange_runs(s, &f, work, true, false);
    if (f.folded > 0)
        schedule_step(s, N_("unfold"));
    for (int seat = 0; seat < f.folded; seat++)
        work_copy(s, seated_rank(&f, seat), folded_rank(&f, seat),
                  work + folded_rank(&f, seat), 1);
    work_end(s, work);
}

/* A seat adds what it receives in the fold, not what it gives back. */
static struct path
butterfly_path(const struct coll_options *o)
{
    double levels = log2_floor(o->nranks), all = log2_ceil(o->nranks);
    double steps = all > levels ? levels + 2 : levels;

    return (struct path){steps, steps, all};
}

static struct path
halving_doubling_path(const struct coll_options *o)
{
    int seats = seats_of(o), folds = seats < o->nranks;
    double sums = folds * seats + seats - 1;

    return (struct path){2 * (log2_floor(seats) + folds), 2 * sums, sums};
}

/* None is known where ranks are folded. */
static struct path
power_of_two_path(const struct coll_options *o)
{
    return seats_of(o) == o->nranks ? coll_path_doubling(o)
                                    : (struct path){.messages = NAN};
}

const struct algorithm allreduce_butterfly = {
    .name = N_("butterfly"),
    .collective = "allreduce",
    .aliases = {"recursive-doubling"},
    .build = butterfly_build,
    .path = butterfly_path,
    .formulas = {"log2 N", "log2 N S"},
    .holds = HOLDS_POWER_OF_TWO,
    .otherwise = {"floor(log2 N) + 2", "ceil(log2 N) S"},
    .idea = N_("ranks exchange sums with the one 1, 2, 4, ... away: sums of "
               "twice as many after each step"),
    .when = N_("small data on a power of two: the fewest steps there can be"),
    .mpi = "3 recursive_doubling",
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm allreduce_hypercube = {
    .name = N_("hypercube"),
    .collective = "allreduce",
    .topology = TOPOLOGY_CUBE,
    .build = butterfly_build,
    .path = butterfly_path,
    .formulas = {"log2 N", "log2 N S"},
    .holds = HOLDS_POWER_OF_TWO,
    .otherwise = {"floor(log2 N) + 2", "ceil(log2 N) S"},
    .idea =
        N_("ranks exchange sums along one dimension of a cube after another"),
    .when = N_("small data on cube wiring"),
    .source = "Fox et al. 1988",
};

const struct algorithm allreduce_halving_doubling = {
    .name = N_("halving-doubling"),
    .collective = "allreduce",
    .aliases = {"rabenseifner"},
    .pieces = seats_of,
    .build = halving_doubling_build,
    .path = halving_doubling_path,
    .formulas = {"2 log2 N", "2(N-1)/N S"},
    .holds = HOLDS_POWER_OF_TWO,
    .otherwise = {"2 floor(log2 N) + 2", NULL},
    .idea = N_("halves, quarters, ... are exchanged and added, then handed "
               "back the same way"),
    .when = N_("middling to large data on a power of two: few steps and few "
               "bytes"),
    .mpi = "6 rabenseifner",
    .source = "Rabenseifner 2004; Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm allgather_recursive_doubling = {
    .name = N_("recursive-doubling"),
    .collective = "allgather",
    .build = recursive_doubling_build,
    .path = power_of_two_path,
    .formulas = {"log2 N", "(N-1) S"},
    .holds = HOLDS_POWER_OF_TWO,
    .otherwise = {"floor(log2 N) + 2", NULL},
    .idea =
        N_("after each exchange a rank has twice as many blocks to exchange"),
    .when = N_("small data on a power of two"),
    .mpi = "3 recursive_doubling",
    .source = "Thakur, Rabenseifner & Gropp 2005",
};

const struct algorithm allgather_hypercube = {
    .name = N_("hypercube"),
    .collective = "allgather",
    .topology = TOPOLOGY_CUBE,
    .build = recursive_doubling_build,
    .path = power_of_two_path,
    .formulas = {"log2 N", "(N-1) S"},
    .holds = HOLDS_POWER_OF_TWO,
    .otherwise = {"floor(log2 N) + 2", NULL},
    .idea = N_("ranks exchange all they have, along one dimension of a cube "
               "after another"),
    .when = N_("small data on cube wiring"),
    .source = "nccl-tests, src/hypercube.cu",
};

const struct algorithm reduce_scatter_recursive_halving = {
    .name = N_("recursive-halving"),
    .collective = "reduce-scatter",
    .scratch = work_scratch,
    .build = recursive_halving_build,
    .path = power_of_two_path,
    .formulas = {"log2 N", "(N-1)/N S"},
    .holds = HOLDS_POWER_OF_TWO,
    .otherwise = {"floor(log2 N) + 2", "S"},
    .idea = N_("halves are exchanged and added, then halves of what is left"),
    .when = N_("small to middling data on a power of two"),
    .mpi = "2 recursive_halving; block: 3 recursive_halving",
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
