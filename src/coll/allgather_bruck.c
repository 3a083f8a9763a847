/* SPDX-License-Identifier: MIT */
/* Bruck's all-gather.
 *
 * A rank holds a run of blocks that begins with its own and doubles in every
 * step: it sends what it has to the rank d before it and receives as much from
 * the rank d after it, d = 1, 2, 4, ...; the last step sends what is missing.
 * ceil(log2 N) steps for any N, and no more bytes than a ring.  Wins for small
 * data.
 *
 * Bruck keeps his blocks rotated, own first, and turns them back at the end;
 * here every block goes where it belongs at once.
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

const struct algorithm allgather_bruck = {
    .name = N_("bruck"),
    .collective = "allgather",
    .build = allgather_bruck_build,
    .path = coll_path_doubling,
    .steps_formula = "ceil(log2 N)",
    .bytes_formula = "(N-1) S",
    .idea = N_("runs of blocks that double: to the rank 1, 2, 4, ... before"),
    .when = N_("small data on any number of ranks"),
    .source = "Bruck et al. 1997",
};
