/* SPDX-License-Identifier: MIT */
/* Butterfly all-reduce: recursive doubling.
 *
 * Ranks exchange sums with the one whose number differs in bit 0, then 1, 2,
 * ...: after k steps 2^k ranks have the same sum, of all their data.  log2 N
 * steps, and every rank sends all its data in each of them.  On other numbers
 * of ranks floor(log2 N) + 2 steps: of two neighbours one waits while the other
 * works for both (coll/lib/fold.h).  Wins for small data.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.5. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/butterfly.h"
#include "coll/lib/counts.h"
#include "coll/lib/fold.h"

const struct algorithm allreduce_butterfly = {
    .name = N_("butterfly"),
    .collective = "allreduce",
    .aliases = {"recursive-doubling"},
    .pieces = coll_one,
    .build = butterfly_build,
    .steps = fold_steps,
    .sent = butterfly_sent,
    .path = butterfly_path,
    .steps_formula = "log2 N",
    .bytes_formula = "log2 N S",
    .idea = N_("ranks exchange sums with the one 1, 2, 4, ... away: sums of "
               "twice as many after each step"),
    .when = N_("small data: the fewest steps there can be"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
