/* SPDX-License-Identifier: MIT */
#include "coll/lib/binomial.h"

#include "base/bounds.h"
#include "base/translate.h"
#include "coll/lib/arithmetic.h"
#include "coll/lib/work.h"

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

enum { ONE_SLOT = -1 };

/* Uses every link of the tree once.  c is a child over distance d, its parent
 * c - d, both relative to the root.  A link carries one slot or, of the slots
 * from `slot` on, those of the child's subtree, relative to rank `shift`. */
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
            if (shift == ONE_SLOT)
                work_move(s, op, src, slot, dst, slot, 1);
            else
                move_units(s, src, dst, slot, shift + c,
                           shift + least(c + d, n));
        }
    }
}

void
binomial_broadcast(struct schedule *s, int root, int slot)
{
    use_links(s, root, N_("broadcast"), false, TRANSFER_COPY, slot, ONE_SLOT);
}

void
binomial_reduce(struct schedule *s, int root, int slot)
{
    use_links(s, root, N_("reduce"), true, TRANSFER_REDUCE, slot, ONE_SLOT);
}

void
binomial_scatter(struct schedule *s, int root, int first, bool relative)
{
    use_links(s, root, N_("scatter"), false, TRANSFER_COPY, first,
              relative ? 0 : root);
}

void
binomial_gather(struct schedule *s, int root, int first)
{
    use_links(s, root, N_("gather"), true, TRANSFER_COPY, first, root);
}
