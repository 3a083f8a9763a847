/* SPDX-License-Identifier: MIT */
/* All-reduce on a three-dimensional torus.
 *
 * As on two dimensions (allreduce_torus2d.c), with one more: rings along z,
 * then along y, then along x, on ever smaller parts, and the same way back.
 *
 * Source: N. Jain, Y. Sabharwal, "Optimal bucket algorithms for large MPI
 * collectives on torus interconnects", ICS 2010. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/dims.h"

static const char *const phases[TOPOLOGY_DIMS][2] = {
    {N_("reduce x"), N_("gather x")},
    {N_("reduce y"), N_("gather y")},
    {N_("reduce z"), N_("gather z")},
};

static void
allreduce_torus3d_build(struct schedule *s, const struct coll_options *o)
{
    dims_build(s, o, phases);
}

const struct algorithm allreduce_torus3d = {
    .name = N_("torus3d"),
    .collective = "allreduce",
    .aliases = {"3d-torus"},
    .topology = TOPOLOGY_TORUS,
    .dims = 3,
    .pieces = coll_ranks,
    .build = allreduce_torus3d_build,
    .steps = dims_steps,
    .sent = dims_sent,
    .path = dims_path,
    .steps_formula = "2(X-1 + Y-1 + Z-1)",
    .bytes_formula = "2(N-1)/N S",
    .idea =
        N_("rings along z, then y, then x, on ever smaller parts, and back"),
    .when = N_("large data on very many ranks: as few bytes as one ring, far "
               "fewer steps"),
    .source = "Jain & Sabharwal 2010",
};
