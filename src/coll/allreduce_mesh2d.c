/* SPDX-License-Identifier: MIT */
/* All-reduce on a two-dimensional mesh, which has no wrap-around links.
 *
 * Instead of a torus's rings (allreduce_torus2d.c) there are chains from both
 * ends of each row, then of each column: in every step a rank sends to both
 * sides, the part with the farthest to go first, and every rank that a part
 * passes adds to it (coll/lib/dims.h).  As many steps as on a torus, two
 * sends per step.
 *
 * Source: M. Barnett, R. Littlefield, D. Payne, R. van de Geijn, "Global
 * combine algorithms for 2-D meshes with wormhole routing", JPDC 24 (1995);
 * S. Kumar, N. Jouppi, "Highly available data parallel ML training on mesh
 * networks", 2020. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/dims.h"

static int
ports(const struct coll_options *o)
{
    (void)o;
    return 2; /* to both sides */
}

const struct algorithm allreduce_mesh2d = {
    .name = N_("mesh2d"),
    .collective = "allreduce",
    .aliases = {"2d-mesh"},
    .topology = TOPOLOGY_MESH,
    .dims = 2,
    .pieces = coll_ranks,
    .build = dims_build_grid,
    .steps = dims_steps,
    .sent = dims_sent_lines,
    .ports = ports,
    .steps_formula = "2(X-1 + Y-1)",
    .bytes_formula = "about 2 S",
    .idea = N_(
        "chains from both ends of every row, then of every column, and back"),
    .when = N_("large data on meshes without wrap-around links"),
    .source = "Kumar & Jouppi 2020; Barnett et al. 1995",
};
