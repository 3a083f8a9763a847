/* SPDX-License-Identifier: MIT */
/* What NCCL and Open MPI call their algorithms: each is named by a row of the
 * table, or there is a reason why not; and rows name nothing else.
 *
 * Sources: NCCL 2.30.7, src/device/generate.py (algos_of_coll) and
 * src/include/sym_kernels.h (ncclSymkKernelId); Open MPI at 8efebee,
 * ompi/mca/coll/tuned, the values of coll_tuned_*_algorithm. */
#include <string.h>

#include "coll/coll.h"
#include "tap.h"

struct named {
    const char *of;   /* the collective there */
    const char *name; /* the algorithm */
    const char *row;  /* "ring-allreduce"; NULL: none, why not */
    const char *why;
};

#define TWO "any algorithm on two ranks"
#define UNEVEN "of uneven data, which collviz does not have"

static const struct named nccl_pairs[] = {
    {"AllGather", "Ring", "ring-allgather", NULL},
    {"AllGather", "CollNetDirect", "collnet-direct-allgather", NULL},
    {"AllGather", "NVLS", "nvls-allgather", NULL},
    {"AllGather", "PAT", "pat-allgather", NULL},
    {"AllGatherV", "Ring", NULL, UNEVEN},
    {"AllReduce", "Tree", "double-tree-allreduce", NULL},
    {"AllReduce", "Ring", "ring-allreduce", NULL},
    {"AllReduce", "CollNetDirect", "collnet-direct-allreduce", NULL},
    {"AllReduce", "CollNetChain", "collnet-chain-allreduce", NULL},
    {"AllReduce", "NVLS", "nvls-allreduce", NULL},
    {"AllReduce", "NVLSTree", "nvls-tree-allreduce", NULL},
    {"Broadcast", "Ring", "chain-broadcast", NULL},
    {"Reduce", "Ring", "chain-reduce", NULL},
    {"ReduceScatter", "Ring", "ring-reduce-scatter", NULL},
    {"ReduceScatter", "CollNetDirect", "collnet-direct-reduce-scatter", NULL},
    {"ReduceScatter", "NVLS", "nvls-reduce-scatter", NULL},
    {"ReduceScatter", "PAT", "pat-reduce-scatter", NULL},
};

static const struct named nccl_kernels[] = {
    {"AllReduce", "AGxLL_R", "naive-allreduce", NULL},
    {"AllReduce", "AGxLLMC_R", "multicast-allreduce", NULL},
    {"AllReduce", "RSxTmaLD_AGxTmaST", "sharded-server-allreduce", NULL},
    {"AllReduce", "RSxLD_AGxST", "sharded-server-allreduce", NULL},
    {"AllReduce", "RSxLDMC_AGxSTMC", "nvls-allreduce", NULL},
    {"AllGather", "AllGather_LL", "direct-allgather", NULL},
    {"AllGather", "AllGather_LLMC", "nvls-allgather", NULL},
    {"AllGather", "AllGather_TmaST", "direct-allgather", NULL},
    {"AllGather", "AllGather_ST", "direct-allgather", NULL},
    {"AllGather", "AllGather_TmaSTMC", "nvls-allgather", NULL},
    {"AllGather", "AllGather_STMC", "nvls-allgather", NULL},
    {"AllGather", "RailRing_LsaSTMC", "hierarchical-allgather", NULL},
    {"ReduceScatter", "ReduceScatter_LL", "direct-reduce-scatter", NULL},
    {"ReduceScatter", "ReduceScatter_TmaLD", "direct-reduce-scatter", NULL},
    {"ReduceScatter", "ReduceScatter_LD", "direct-reduce-scatter", NULL},
    {"ReduceScatter", "ReduceScatter_LDMC", "nvls-reduce-scatter", NULL},
    {"ReduceScatter", "RailA2A_LsaLD", "hierarchical-reduce-scatter", NULL},
    {"ReduceScatter", "RailA2A_LsaLDMC", "hierarchical-reduce-scatter", NULL},
};

/* What else rows name: NCCL's copy-engine collectives, its grouped sends and
 * its path through the GPU on the target's rail. */
static const struct named nccl_others[] = {
    {"AlltoAll", "AlltoAll", "direct-alltoall", NULL},
    {"AlltoAll", "PXN", "pxn-alltoall", NULL},
    {"Scatter", "Scatter", "flat-scatter", NULL},
    {"Gather", "Gather", "flat-gather", NULL},
    {"SendRecv", "ncclSend and ncclRecv", "shift-sendrecv", NULL},
};

static const struct named open_mpi[] = {
    {"allgather", "1 linear", "server-allgather", NULL},
    {"allgather", "2 bruck-k-fanout", "bruck-allgather", NULL},
    {"allgather", "3 recursive_doubling", "recursive-doubling-allgather", NULL},
    {"allgather", "4 ring", "ring-allgather", NULL},
    {"allgather", "5 neighbor", "neighbour-exchange-allgather", NULL},
    {"allgather", "6 two_proc", NULL, TWO},
    {"allgather", "7 sparbit", "sparbit-allgather", NULL},
    {"allgather", "8 direct-messaging", "direct-allgather", NULL},
    {"allgatherv", "1 default", NULL, UNEVEN},
    {"allgatherv", "2 bruck", NULL, UNEVEN},
    {"allgatherv", "3 ring", NULL, UNEVEN},
    {"allgatherv", "4 neighbor", NULL, UNEVEN},
    {"allgatherv", "5 two_proc", NULL, UNEVEN},
    {"allgatherv", "6 sparbit", NULL, UNEVEN},
    {"allreduce", "1 basic_linear", "server-allreduce", NULL},
    {"allreduce", "2 nonoverlapping", "reduce-broadcast-allreduce", NULL},
    {"allreduce", "3 recursive_doubling", "butterfly-allreduce", NULL},
    {"allreduce", "4 ring", "ring-allreduce", NULL},
    {"allreduce", "5 segmented_ring", "ring-allreduce", NULL},
    {"allreduce", "6 rabenseifner", "halving-doubling-allreduce", NULL},
    {"allreduce", "7 allgather_reduce", "naive-allreduce", NULL},
    {"alltoall", "1 linear", "direct-alltoall", NULL},
    {"alltoall", "2 pairwise", "pairwise-alltoall", NULL},
    {"alltoall", "3 modified_bruck", "bruck-alltoall", NULL},
    {"alltoall", "4 linear_sync", "direct-alltoall", NULL},
    {"alltoall", "5 two_proc", NULL, TWO},
    {"alltoallv", "1 basic_linear", NULL, UNEVEN},
    {"alltoallv", "2 pairwise", NULL, UNEVEN},
    {"barrier", "1 linear", NULL, "collviz has no barrier"},
    {"barrier", "2 double_ring", NULL, "collviz has no barrier"},
    {"barrier", "3 recursive_doubling", NULL, "collviz has no barrier"},
    {"barrier", "4 bruck", NULL, "collviz has no barrier"},
    {"barrier", "5 two_proc", NULL, TWO},
    {"barrier", "6 tree", NULL, "collviz has no barrier"},
    {"bcast", "1 basic_linear", "flat-broadcast", NULL},
    {"bcast", "2 chain", "chains-broadcast", NULL},
    {"bcast", "3 pipeline", "chain-broadcast", NULL},
    {"bcast", "4 split_binary_tree", NULL,
     "as binary, but each subtree gets a half, which pairs then exchange"},
    {"bcast", "5 binary_tree", "binary-broadcast", NULL},
    {"bcast", "6 binomial", "binomial-broadcast", NULL},
    {"bcast", "7 knomial", "knomial-broadcast", NULL},
    {"bcast", "8 scatter_allgather", "scatter-doubling-broadcast", NULL},
    {"bcast", "9 scatter_allgather_ring", "scatter-allgather-broadcast", NULL},
    {"exscan", "1 linear", "chain-exscan", NULL},
    {"exscan", "2 recursive_doubling", "recursive-doubling-exscan", NULL},
    {"gather", "1 basic_linear", "flat-gather", NULL},
    {"gather", "2 binomial", "binomial-gather", NULL},
    {"gather", "3 linear_sync", "flat-gather", NULL},
    {"reduce", "1 linear", "flat-reduce", NULL},
    {"reduce", "2 chain", "chains-reduce", NULL},
    {"reduce", "3 pipeline", "chain-reduce", NULL},
    {"reduce", "4 binary", "binary-reduce", NULL},
    {"reduce", "5 binomial", "binomial-reduce", NULL},
    {"reduce", "6 in-order_binary", NULL,
     "as binary, in rank order for operators that do not commute"},
    {"reduce", "7 rabenseifner", "scatter-gather-reduce", NULL},
    {"reduce", "8 knomial", "knomial-reduce", NULL},
    {"reduce_scatter", "1 non-overlapping", "nonoverlapping-reduce-scatter",
     NULL},
    {"reduce_scatter", "2 recursive_halving",
     "recursive-halving-reduce-scatter", NULL},
    {"reduce_scatter", "3 ring", "ring-reduce-scatter", NULL},
    {"reduce_scatter", "4 butterfly", "butterfly-reduce-scatter", NULL},
    {"reduce_scatter_block", "block: 1 basic_linear",
     "nonoverlapping-reduce-scatter", NULL},
    {"reduce_scatter_block", "block: 2 recursive_doubling",
     "recursive-doubling-reduce-scatter", NULL},
    {"reduce_scatter_block", "block: 3 recursive_halving",
     "recursive-halving-reduce-scatter", NULL},
    {"reduce_scatter_block", "block: 4 butterfly", "butterfly-reduce-scatter",
     NULL},
    {"scan", "1 linear", "chain-scan", NULL},
    {"scan", "2 recursive_doubling", "recursive-doubling-scan", NULL},
    {"scatter", "1 basic_linear", "flat-scatter", NULL},
    {"scatter", "2 binomial", "binomial-scatter", NULL},
    {"scatter", "3 linear_nb", "flat-scatter", NULL},
};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* Whether a row's text, "4 ring, 5 segmented_ring", has this name. */
static bool
has_name(const char *text, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = text; at != NULL && *at != '\0';) {
        if (strncmp(at, name, length) == 0 &&
            strchr(",;", at[length]) != NULL)
            return true;
        at += strcspn(at, ",;");
        at += strspn(at, ",; ");
    }
    return false;
}

static const char *
text_of(const struct algorithm *a, const struct named *list)
{
    return list == open_mpi ? a->mpi : a->nccl;
}

static void
test_shown(const struct named *list, int count, int expected,
           const char *what)
{
    const struct algorithm *a;
    struct err err;
    int wrong = 0;

    is_int(count, expected, "%s: as many as there are", what);
    for (int i = 0; i < count; i++) {
        const struct named *n = &list[i];
        bool right = n->row == NULL
                         ? n->why != NULL
                         : coll_find(n->row, &a, &err) &&
                               strcmp(coll_name(a).text, n->row) == 0 &&
                               has_name(text_of(a, list), n->name);
        wrong += !right;
        if (!right)
            diag("%s %s is not named by %s", n->of, n->name,
                 n->row != NULL ? n->row : "any row");
    }
    is_int(wrong, 0, "%s: each is named by a row, or there is a reason", what);
}

/* Counts the names in the rows' texts. */
static int
count_names(bool mpi)
{
    const struct algorithm *a;
    int count = 0;

    for (int i = 0; (a = coll_at(i)) != NULL; i++) {
        const char *at = mpi ? a->mpi : a->nccl;
        while (at != NULL && *at != '\0') {
            count++;
            at += strcspn(at, ",;");
            at += strspn(at, ",; ");
        }
    }
    return count;
}

static int
count_rows(const struct named *list, int count)
{
    int rows = 0;

    for (int i = 0; i < count; i++)
        rows += list[i].row != NULL;
    return rows;
}

int
main(void)
{
    test_shown(nccl_pairs, COUNT(nccl_pairs), 17, "NCCL's algorithms");
    test_shown(nccl_kernels, COUNT(nccl_kernels), 18,
               "NCCL's symmetric kernels");
    test_shown(nccl_others, COUNT(nccl_others), 5, "what else is NCCL's");
    test_shown(open_mpi, COUNT(open_mpi), 69, "Open MPI's algorithms");
    is_int(count_names(false), count_rows(nccl_pairs, COUNT(nccl_pairs)) +
               count_rows(nccl_kernels, COUNT(nccl_kernels)) +
               count_rows(nccl_others, COUNT(nccl_others)),
           "rows name nothing else of NCCL");
    is_int(count_names(true), count_rows(open_mpi, COUNT(open_mpi)),
           "nor of Open MPI");
    return done_testing();
}
