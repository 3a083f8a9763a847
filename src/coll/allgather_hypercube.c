/* SPDX-License-Identifier: MIT */
/* Hypercube all-gather.
 *
 * Ranks stand at the corners of a cube of log2 N dimensions and exchange all
 * they have along one dimension after the other: recursive doubling that uses
 * only the cube's links.  Ranks beyond a power of two are folded onto the
 * corner that they have a link to (coll/lib/fold.h).
 *
 * Source: nccl-tests, src/hypercube.cu (hypercube_perf). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/doubling.h"
#include "coll/lib/fold.h"

const struct algorithm allgather_hypercube = {
    .name = N_("hypercube"),
    .collective = "allgather",
    .topology = TOPOLOGY_CUBE,
    .pieces = coll_one,
    .build = doubling_build,
    .steps = fold_steps,
    .sent = doubling_sent,
    .path = doubling_path,
    .steps_formula = "log2 N",
    .bytes_formula = "(N-1) S",
    .idea = N_("all exchange all they have along one dimension of a cube after "
               "the other"),
    .when = N_("small data on cube wiring"),
    .source = "nccl-tests, src/hypercube.cu",
};
