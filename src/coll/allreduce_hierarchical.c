/* SPDX-License-Identifier: MIT */
/* Hierarchical all-reduce, for X nodes of Y GPUs.
 *
 * Reduce-scatter among the GPUs of a node, over its fast links; then every GPU
 * reduces its share with its counterparts in the other nodes, round a ring;
 * then all-gather inside the nodes (coll/lib/dims.h).  Only a Y-th of the
 * data of each GPU goes over the slow links between nodes.
 *
 * Source: Y. Jiang et al., "2D-HRA: two-dimensional hierarchical ring-based
 * all-reduce algorithm in large-scale distributed machine learning", IEEE
 * Access 8 (2020). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/counts.h"
#include "coll/lib/dims.h"

static const char *const phases[TOPOLOGY_DIMS][2] = {
    {N_("reduce across"), N_("gather across")},
    {N_("reduce in nodes"), N_("gather in nodes")},
    {N_("reduce-scatter"), N_("all-gather")},
};

static void
allreduce_hierarchical_build(struct schedule *s, const struct coll_options *o)
{
    dims_build(s, o, phases);
}

const struct algorithm allreduce_hierarchical = {
    .name = N_("hierarchical"),
    .collective = "allreduce",
    .aliases = {"two-level", "2-level"},
    .topology = TOPOLOGY_NODES,
    .dims = 2,
    .pieces = coll_ranks,
    .build = allreduce_hierarchical_build,
    .steps = dims_steps,
    .sent = dims_sent,
    .path = dims_path,
    .steps_formula = "2(X-1 + Y-1)",
    .bytes_formula = "2(N-1)/N S",
    .idea = N_("first inside the nodes, then every share across them, then "
               "inside again"),
    .when = N_("nodes of GPUs: only a share of the data leaves a node"),
    .source = "Jiang et al. 2020",
};
