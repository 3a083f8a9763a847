/* SPDX-License-Identifier: MIT */
/* Hierarchical all-gather and reduce-scatter, for X nodes of Y GPUs.
 *
 * All-gather: every GPU's data goes round the ring of its counterparts in the
 * other nodes, those with the same place in their node ("on its rail"); then
 * what each rail has goes round inside the nodes.  Reduce-scatter is the same
 * backwards: sums for each rail grow inside the nodes, then along the rail.
 *
 * X-1 + Y-1 steps.  Every rank sends N-1 chunks, as on one ring, but only X-1
 * of them leave its node, where that ring sends N-1 from a node over one link.
 *
 * Source: halves of the hierarchical all-reduce (allreduce_grid.c).  NCCL's
 * all-gather goes round the rails' rings, too, but a switch hands data out
 * inside a node (src/device/symmetric/all_gather_gin.cuh); its reduce-scatter
 * takes one step for each level (reduce_scatter_gin.cuh). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

/* Round the rings of rails.  In step k (from 0) a rank of node i sends its
 * rail's chunk of node i-k; to reduce, of i-1-k. */
static void
circle_rails(struct schedule *s, const struct coll_options *o, int work,
             bool adds)
{
    int n = o->nranks, size = o->dims[1];

    for (int k = adds; k < o->dims[0] - 1 + adds; k++) {
        schedule_step(s, adds ? N_("reduce across") : N_("gather across"));
        for (int rank = 0; rank < n; rank++) {
            int slot = work + modulo(rank - k * size, n);
            work_move(s, adds ? TRANSFER_REDUCE : TRANSFER_COPY, rank, slot,
                      (rank + size) % n, slot, 1);
        }
    }
}

/* Round the rings inside nodes.  The chunks of a rail are sent together, from
 * place j those of rail j-k, or j-1-k. */
static void
circle_nodes(struct schedule *s, const struct coll_options *o, int work,
             bool adds)
{
    int n = o->nranks, size = o->dims[1];

    for (int k = adds; k < size - 1 + adds; k++) {
        schedule_step(s, adds ? N_("reduce in nodes") : N_("gather in nodes"));
        for (int rank = 0; rank < n; rank++) {
            int place = rank % size, to = rank - place + (place + 1) % size;
            for (int slot = modulo(place - k, size); slot < n; slot += size)
                work_move(s, adds ? TRANSFER_REDUCE : TRANSFER_COPY, rank,
                          work + slot, to, work + slot, 1);
        }
    }
}

static void
hierarchical_build(struct schedule *s, const struct coll_options *o)
{
    bool adds = s->collective->reduces;
    int work = work_begin(s);

    if (!adds)
        circle_rails(s, o, work, false);
    circle_nodes(s, o, work, adds);
    if (adds)
        circle_rails(s, o, work, true);
    work_end(s, work);
}

static struct path
hierarchical_path(const struct coll_options *o)
{
    double others = o->nranks - 1;

    return (struct path){o->dims[0] + o->dims[1] - 2, others, others};
}

const struct algorithm allgather_hierarchical = {
    .name = N_("hierarchical"),
    .collective = "allgather",
    .aliases = {"two-level", "2-level"},
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .build = hierarchical_build,
    .path = hierarchical_path,
    .formulas = {"X-1 + Y-1", "(N-1) S"},
    .idea = N_("data goes round the counterparts in all nodes, then round "
               "inside the nodes"),
    .when = N_("nodes of GPUs: data enters every node only once"),
    .nccl = "RailRing_LsaSTMC",
    .source = "half of Jiang et al. 2020",
};

const struct algorithm reduce_scatter_hierarchical = {
    .name = N_("hierarchical"),
    .collective = "reduce-scatter",
    .aliases = {"two-level", "2-level"},
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .scratch = work_scratch,
    .build = hierarchical_build,
    .path = hierarchical_path,
    .formulas = {"X-1 + Y-1", "(N-1)/N S"},
    .idea = N_("sums grow inside the nodes, then among the counterparts in "
               "all nodes"),
    .when = N_("nodes of GPUs: only sums leave a node"),
    .nccl = "RailA2A_LsaLD, RailA2A_LsaLDMC",
    .source = "half of Jiang et al. 2020",
};
