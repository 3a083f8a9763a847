/* SPDX-License-Identifier: MIT */
/* The rows of the table, each from its own file: allreduce_ring is in
 * allreduce_ring.c. Private to coll.c and those files. */
#ifndef COLL_ALGORITHMS_H
#define COLL_ALGORITHMS_H

#include "coll/lib/algorithm.h"

extern const struct algorithm allgather_bruck;
extern const struct algorithm allgather_hypercube;
extern const struct algorithm allgather_pat;
extern const struct algorithm allgather_recursive_doubling;
extern const struct algorithm allgather_ring;
extern const struct algorithm allreduce_butterfly;
extern const struct algorithm allreduce_double_tree;
extern const struct algorithm allreduce_halving_doubling;
extern const struct algorithm allreduce_hierarchical;
extern const struct algorithm allreduce_hypercube;
extern const struct algorithm allreduce_mesh2d;
extern const struct algorithm allreduce_naive;
extern const struct algorithm allreduce_reduce_broadcast;
extern const struct algorithm allreduce_ring;
extern const struct algorithm allreduce_server;
extern const struct algorithm allreduce_sharded_server;
extern const struct algorithm allreduce_torus2d;
extern const struct algorithm allreduce_torus3d;
extern const struct algorithm allreduce_tree;
extern const struct algorithm alltoall_bruck;
extern const struct algorithm alltoall_pairwise;
extern const struct algorithm alltoall_ring;
extern const struct algorithm broadcast_binomial;
extern const struct algorithm broadcast_chain;
extern const struct algorithm broadcast_flat;
extern const struct algorithm broadcast_scatter_allgather;
extern const struct algorithm gather_binomial;
extern const struct algorithm gather_flat;
extern const struct algorithm reduce_binomial;
extern const struct algorithm reduce_chain;
extern const struct algorithm reduce_flat;
extern const struct algorithm reduce_scatter_pairwise;
extern const struct algorithm reduce_scatter_pat;
extern const struct algorithm reduce_scatter_recursive_halving;
extern const struct algorithm reduce_scatter_ring;
extern const struct algorithm scatter_binomial;
extern const struct algorithm scatter_flat;
extern const struct algorithm sendrecv_shift;

#endif
