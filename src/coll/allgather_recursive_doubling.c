/* SPDX-License-Identifier: MIT */
/* Recursive-doubling all-gather.
 *
 * Ranks exchange all they have with the one whose number differs in bit 0, then
 * 1, 2, ...: what they have doubles.  log2 N steps and no more bytes than a
 * ring, on a power of two; else floor(log2 N) + 2 steps, and of two neighbours
 * one waits while the other works for both (coll/lib/fold.h).  Wins for small
 * data.
 *
 * Source: R. Thakur, R. Rabenseifner, W. Gropp, IJHPCA 19 (2005), 4.1. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/doubling.h"
#include "coll/lib/fold.h"

const struct algorithm allgather_recursive_doubling = {
    .name = N_("recursive-doubling"),
    .collective = "allgather",
    .pieces = coll_one,
    .build = doubling_build,
    .steps = fold_steps,
    .sent = doubling_sent,
    .path = doubling_path,
    .steps_formula = "log2 N",
    .bytes_formula = "(N-1) S",
    .idea = N_("whoever has exchanged blocks has twice as many to exchange"),
    .when = N_("small data on a power of two"),
    .source = "Thakur, Rabenseifner & Gropp 2005",
};
