/* SPDX-License-Identifier: MIT */
/* Circulant all-reduce.
 *
 * Ranks stand in a circle, and each collects the sum U of those that come next.
 * The rank w or w+1 places ahead gives it as many again:
 *
 *     U(2w)   at r = U(w) at r + U(w) at r+w
 *     U(2w+1) at r = U(w) at r + (own + U(w)) at r+w+1
 *
 * The bits of N-1, the highest first, say which leads to U(N-1); then a rank
 * adds its own data.  If N is a power of two times an odd number, this is done
 * for the odd number; from there sums with the own data in them double.
 *
 * ceil(log2 N) steps for any N, in each of which a rank sends all its data: one
 * less than the butterfly if N is no power of two.  But each rank adds in an
 * order of its own, so sums of floats may differ in their last bits.
 *
 * Source: the problem and its least number of steps are those of A. Bar-Noy, S.
 * Kipnis, B. Schieber, "An optimal algorithm for computing census functions in
 * message-passing systems", Parallel Processing Letters 3 (1993).  Only its
 * abstract was read: the sums are derived here; tests/coll.c proves them. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static int
odd_part(int n)
{
    return n / (n & -n);
}

/* Every rank adds what the rank so many places ahead has, or copies it. */
static void
exchange_sums(struct schedule *s, int ahead, int from, int into, bool adds)
{
    schedule_step(s, N_("exchange"));
    for (int rank = 0; rank < s->nranks; rank++)
        work_move(s, adds ? TRANSFER_REDUCE : TRANSFER_COPY,
                  (rank + ahead) % s->nranks, from, rank, into, 1);
}

/* Every rank adds its own data to the sum of the next, for itself. */
static void
add_own(struct schedule *s, int own, int next, int into)
{
    schedule_step(s, N_("add up"));
    for (int rank = 0; rank < s->nranks; rank++)
        schedule_add(s, (struct transfer){.src = rank, .dst = rank,
                                          .src_slot = next, .add_slot = own,
                                          .dst_slot = into, .nslots = 1,
                                          .op = TRANSFER_REDUCE});
}

static void
circulant_build(struct schedule *s, const struct coll_options *o)
{
    int own = work_begin(s), next = schedule_scratch(s), both = next + 1;
    int odd = odd_part(o->nranks), w = 0;

    for (int bit = log2_ceil(odd) - 1; bit >= 0; bit--) {
        int more = (odd - 1) >> bit & 1;
        if (more && w > 0)
            add_own(s, own, next, both);
        exchange_sums(s, w + more, w == 0 ? own : more ? both : next, next,
                      w > 0);
        w = 2 * w + more;
    }
    if (odd > 1)
        add_own(s, own, next, own);
    for (w = odd; w < o->nranks; w *= 2)
        exchange_sums(s, w, own, own, true);
}

static int
circulant_scratch(const struct coll_options *o)
{
    return odd_part(o->nranks) > 1 ? 2 : 0;
}

/* If the odd part is above 1, the first sum is a copy, and each bit that is set
 * adds the rank's own data; the first bit does so at the end. */
static struct path
circulant_path(const struct coll_options *o)
{
    int odd = odd_part(o->nranks), set = __builtin_popcount((unsigned)odd - 1);
    double steps = log2_ceil(o->nranks);

    return (struct path){steps, steps, steps - (odd > 1) + set};
}

const struct algorithm allreduce_circulant = {
    .name = N_("circulant"),
    .collective = "allreduce",
    .aliases = {"census"},
    .scratch = circulant_scratch,
    .build = circulant_build,
    .path = circulant_path,
    .formulas = {"ceil(log2 N)", "ceil(log2 N) S"},
    .idea = N_("each collects the sum of those that come next: of twice as "
               "many after each step"),
    .when = N_("small data on any number of ranks: the fewest steps there can "
               "be"),
    .source = "after Bar-Noy, Kipnis & Schieber 1993",
};
