/* SPDX-License-Identifier: MIT */
/* All-reduce on a two-dimensional torus.
 *
 * Reduce-scatter on the ring of each row, then on the ring of each column, each
 * rank with the part that it owns; all-gather the same way back
 * (coll/lib/dims.h).  2(X-1 + Y-1) steps for X rows of Y ranks; no more bytes
 * than one ring over all ranks.  Faster than that ring on many ranks.
 *
 * Source: H. Mikami et al., "Massively distributed SGD: ImageNet/ResNet-50
 * training in a flash", 2018 (on a logical grid); N. Jain, Y. Sabharwal,
 * "Optimal bucket algorithms for large MPI collectives on torus
 * interconnects", ICS 2010. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/dims.h"

const struct algorithm allreduce_torus2d = {
    .name = N_("torus2d"),
    .collective = "allreduce",
    .aliases = {"2d-torus"},
    .topology = TOPOLOGY_TORUS,
    .dims = 2,
    .pieces = coll_ranks,
    .build = dims_build_grid,
    .steps = dims_steps,
    .sent = dims_sent,
    .path = dims_path,
    .steps_formula = "2(X-1 + Y-1)",
    .bytes_formula = "2(N-1)/N S",
    .idea = N_("rings along every row, then along every column on what each "
               "rank owns, and back"),
    .when = N_(
        "large data on many ranks: as few bytes as one ring, far fewer steps"),
    .source = "Mikami et al. 2018; Jain & Sabharwal 2010",
};
