/* SPDX-License-Identifier: MIT */
#include "coll/lib/binomial.h"

#include "base/translate.h"
#include "coll/lib/arithmetic.h"
#include "coll/lib/work.h"

/* In every function: c is a child over distance d, its parent c - d, both
 * relative to the root. */

void
binomial_broadcast(struct schedule *s, int root, int slot, int nslots)
{
    int n = s->nranks;

    for (int k = log2_ceil(n) - 1; k >= 0; k--) {
        schedule_step(s, N_("broadcast"));
        for (int d = 1 << k, c = d; c < n; c += 2 * d)
            work_copy(s, (root + c - d) % n, (root + c) % n, slot, nslots);
    }
}

void
binomial_reduce(struct schedule *s, int root, int slot, int nslots)
{
    int n = s->nranks;

    for (int k = 0; k < log2_ceil(n); k++) {
        schedule_step(s, N_("reduce"));
        for (int d = 1 << k, c = d; c < n; c += 2 * d)
            work_reduce(s, (root + c) % n, (root + c - d) % n, slot, nslots);
    }
}

/* Moves the slots of relative ranks first .. last - 1; as true ranks they may
 * wrap around. */
static void
move_units(struct schedule *s, int src, int dst, int slots, int first,
           int last)
{
    int n = s->nranks, begin = first % n, count = last - first;
    int head = begin + count > n ? n - begin : count;

    work_copy(s, src, dst, slots + begin, head);
    if (count > head)
        work_copy(s, src, dst, slots, count - head);
}

static int
smaller(int a, int b)
{
    return a < b ? a : b;
}

void
binomial_scatter(struct schedule *s, int root, int first, bool relative)
{
    int n = s->nranks, shift = relative ? 0 : root;

    for (int k = log2_ceil(n) - 1; k >= 0; k--) {
        schedule_step(s, N_("scatter"));
        for (int d = 1 << k, c = d; c < n; c += 2 * d)
            move_units(s, (root + c - d) % n, (root + c) % n, first, shift + c,
                       shift + smaller(c + d, n));
    }
}

void
binomial_gather(struct schedule *s, int root, int first)
{
    int n = s->nranks;

    for (int k = 0; k < log2_ceil(n); k++) {
        schedule_step(s, N_("gather"));
        for (int d = 1 << k, c = d; c < n; c += 2 * d)
            move_units(s, (root + c) % n, (root + c - d) % n, first, root + c,
                       root + smaller(c + d, n));
    }
}
