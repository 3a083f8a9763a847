/* SPDX-License-Identifier: MIT */
/* All-to-alls in two hops, for X nodes of Y GPUs.
 *
 * A GPU's counterparts in other nodes have the same place in their node: they
 * are on one rail, and nothing that goes between nodes leaves it.
 *
 * Hierarchical: a GPU's shares for a node go to its counterpart there, which
 * deals them out.  PXN: shares go to the GPU of the same node that is on the
 * target's rail, which sends what it has from the whole node.
 *
 * Two steps.  As much leaves a node as if all shares went directly, but from
 * each rank in X-1 messages of Y shares instead of N-Y messages.
 *
 * Source: S. Kinkead et al., "Scaling all-to-all operations across emerging
 * many-core supercomputers", SC Workshops 2025, with MPI Advance's
 * alltoall_locality_aware_helper.c ("node-aware"); NVIDIA, "Doubling all2all
 * performance with NVIDIA Collective Communication Library 2.12", 2022; C.
 * Hwang et al., "Tutel: adaptive mixture-of-experts at scale", 2023 (2DH). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

/* Slots are sorted by the ranks that they are for, or from.  A rank sends to
 * itself last. */
static void
hop_across(struct schedule *s, const struct coll_options *o, int from, int into)
{
    int n = o->nranks, size = o->dims[1];

    schedule_step(s, N_("across nodes"));
    for (int k = size; k <= n; k += size)
        for (int rank = 0; rank < n; rank++) {
            int to = (rank + k) % n;
            work_move(s, TRANSFER_COPY, rank, from + to - to % size, to,
                      into + rank - rank % size, size);
        }
}

static void
hop_in_nodes(struct schedule *s, const struct coll_options *o, int from,
             int into)
{
    int n = o->nranks, size = o->dims[1];

    schedule_step(s, N_("in nodes"));
    for (int k = 1; k <= size; k++)
        for (int rank = 0; rank < n; rank++) {
            int place = rank % size, other = (place + k) % size;
            for (int node = 0; node < n; node += size)
                work_move(s, TRANSFER_COPY, rank, from + node + other,
                          rank - place + other, into + node + place, 1);
        }
}

static void
alltoall_hierarchical_build(struct schedule *s, const struct coll_options *o)
{
    hop_across(s, o, schedule_inputs(s).first, schedule_scratch(s));
    hop_in_nodes(s, o, schedule_scratch(s), schedule_outputs(s).first);
}

static void
alltoall_pxn_build(struct schedule *s, const struct coll_options *o)
{
    hop_in_nodes(s, o, schedule_inputs(s).first, schedule_scratch(s));
    hop_across(s, o, schedule_scratch(s), schedule_outputs(s).first);
}

/* A share that stays in its place for one hop is sent once. */
static struct path
alltoall_two_hops_path(const struct coll_options *o)
{
    int both = o->dims[0] + o->dims[1];

    return (struct path){both - 2, 2 * o->nranks - both, 0};
}

const struct algorithm alltoall_hierarchical = {
    .name = N_("hierarchical"),
    .collective = "alltoall",
    .aliases = {"node-aware", "two-level"},
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .scratch = coll_ranks,
    .build = alltoall_hierarchical_build,
    .path = alltoall_two_hops_path,
    .formulas = {"2", "(2N-X-Y)/N S"},
    .holds = HOLDS_SIDES_ABOVE_1,
    .otherwise = {"1", "(N-1)/N S"},
    .idea = N_("shares for a node go to one's counterpart there, which deals "
               "them out"),
    .when = N_("small data on nodes of GPUs: few messages between them"),
    .source = "Kinkead et al. 2025",
};

const struct algorithm alltoall_pxn = {
    .name = N_("pxn"),
    .collective = "alltoall",
    .aliases = {"2dh"},
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .scratch = coll_ranks,
    .build = alltoall_pxn_build,
    .path = alltoall_two_hops_path,
    .formulas = {"2", "(2N-X-Y)/N S"},
    .holds = HOLDS_SIDES_ABOVE_1,
    .otherwise = {"1", "(N-1)/N S"},
    .idea = N_("shares go to the GPU of one's own node on the target's rail, "
               "which sends for all of the node"),
    .when = N_("nodes of GPUs with a switch for each rail: few messages, and "
               "none from rail to rail"),
    .nccl = "PXN",
    .source = "NVIDIA 2022 (NCCL 2.12); Hwang et al. 2023",
};
