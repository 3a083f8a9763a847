/* SPDX-License-Identifier: MIT */
/* Hypercube all-reduce: dimension exchange.
 *
 * Ranks stand at the corners of a cube of log2 N dimensions and exchange sums
 * along one dimension after the other: the butterfly on the cube's links.
 * Ranks beyond a power of two are folded onto the corner that they have a link
 * to (coll/lib/fold.h).
 *
 * Source: G. Fox et al., "Solving problems on concurrent processors", 1988. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/butterfly.h"
#include "coll/lib/counts.h"
#include "coll/lib/fold.h"

const struct algorithm allreduce_hypercube = {
    .name = N_("hypercube"),
    .collective = "allreduce",
    .topology = TOPOLOGY_CUBE,
    .pieces = coll_one,
    .build = butterfly_build,
    .steps = fold_steps,
    .sent = butterfly_sent,
    .path = butterfly_path,
    .steps_formula = "log2 N",
    .bytes_formula = "log2 N S",
    .idea =
        N_("ranks exchange sums along one dimension of a cube after the other"),
    .when = N_("small data on cube wiring"),
    .source = "Fox et al. 1988",
};
