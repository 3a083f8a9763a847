/* SPDX-License-Identifier: MIT */
/* The rows of the table: allreduce_ring is in allreduce_ring.c, and algorithms
 * that share their code are in one file.  A collective's name alone stands for
 * its first algorithm.  Private to coll.c and those files. */
#ifndef COLL_ALGORITHMS_H
#define COLL_ALGORITHMS_H

#include "coll/lib/algorithm.h"

#define COLL_ALGORITHMS(ROW) \
    ROW(allreduce_ring) \
    ROW(allreduce_naive) \
    ROW(allreduce_reduce_broadcast) \
    ROW(allreduce_server) \
    ROW(allreduce_sharded_server) \
    ROW(allreduce_butterfly) \
    ROW(allreduce_circulant) \
    ROW(allreduce_halving_doubling) \
    ROW(allreduce_hypercube) \
    ROW(allreduce_tree) \
    ROW(allreduce_double_tree) \
    ROW(allreduce_torus2d) \
    ROW(allreduce_torus3d) \
    ROW(allreduce_mesh2d) \
    ROW(allreduce_hierarchical) \
    ROW(allreduce_nvls) \
    ROW(allreduce_multicast) \
    ROW(allreduce_nvls_tree) \
    ROW(allreduce_collnet_direct) \
    ROW(allreduce_collnet_chain) \
    ROW(broadcast_binomial) \
    ROW(broadcast_chain) \
    ROW(broadcast_scatter_allgather) \
    ROW(broadcast_flat) \
    ROW(reduce_binomial) \
    ROW(reduce_chain) \
    ROW(reduce_flat) \
    ROW(scatter_binomial) \
    ROW(scatter_flat) \
    ROW(gather_binomial) \
    ROW(gather_flat) \
    ROW(allgather_ring) \
    ROW(allgather_bruck) \
    ROW(allgather_recursive_doubling) \
    ROW(allgather_hypercube) \
    ROW(allgather_pat) \
    ROW(allgather_direct) \
    ROW(allgather_hierarchical) \
    ROW(allgather_nvls) \
    ROW(allgather_collnet_direct) \
    ROW(reduce_scatter_ring) \
    ROW(reduce_scatter_recursive_halving) \
    ROW(reduce_scatter_pairwise) \
    ROW(reduce_scatter_pat) \
    ROW(reduce_scatter_direct) \
    ROW(reduce_scatter_hierarchical) \
    ROW(reduce_scatter_nvls) \
    ROW(reduce_scatter_collnet_direct) \
    ROW(alltoall_pairwise) \
    ROW(alltoall_exchange) \
    ROW(alltoall_ring) \
    ROW(alltoall_bruck) \
    ROW(alltoall_direct) \
    ROW(alltoall_hierarchical) \
    ROW(alltoall_pxn) \
    ROW(sendrecv_shift)

#define COLL_DECLARE(row) extern const struct algorithm row;
COLL_ALGORITHMS(COLL_DECLARE)
#undef COLL_DECLARE

#endif
