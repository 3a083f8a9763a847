/* SPDX-License-Identifier: MIT */
/* Compares the declarations of workers/nccl/nccl_api.h with nccl.h. It is only
 * compiled, and only where there is nccl.h. */
#include <nccl.h>

#include "workers/nccl/nccl_api.h"

#define SAME(ours, theirs) \
    _Static_assert((int)(ours) == (int)(theirs), #ours " is " #theirs)

SAME(NCCL_SUCCESS, ncclSuccess);
SAME(NCCL_UNHANDLED_CUDA_ERROR, ncclUnhandledCudaError);
SAME(NCCL_SYSTEM_ERROR, ncclSystemError);
SAME(NCCL_INTERNAL_ERROR, ncclInternalError);
SAME(NCCL_INVALID_ARGUMENT, ncclInvalidArgument);
SAME(NCCL_INVALID_USAGE, ncclInvalidUsage);
SAME(NCCL_REMOTE_ERROR, ncclRemoteError);
SAME(NCCL_IN_PROGRESS, ncclInProgress);

SAME(NCCL_UINT8, ncclUint8);
SAME(NCCL_INT32, ncclInt32);
SAME(NCCL_INT64, ncclInt64);
SAME(NCCL_FLOAT16, ncclFloat16);
SAME(NCCL_FLOAT32, ncclFloat32);
SAME(NCCL_FLOAT64, ncclFloat64);
SAME(NCCL_BFLOAT16, ncclBfloat16);

SAME(NCCL_SUM, ncclSum);
SAME(NCCL_PROD, ncclProd);
SAME(NCCL_MAX, ncclMax);
SAME(NCCL_MIN, ncclMin);
SAME(NCCL_AVG, ncclAvg);

SAME(sizeof(struct nccl_id), sizeof(ncclUniqueId));
SAME(sizeof(enum nccl_result), sizeof(ncclResult_t));
SAME(sizeof(enum nccl_type), sizeof(ncclDataType_t));
SAME(sizeof(enum nccl_op), sizeof(ncclRedOp_t));

/* Types have other names on each side, so functions cannot be compared
 * directly. But they can be called with the same values, each in its own types:
 * then they have as many parameters, in the same order. */
#pragma GCC diagnostic error "-Wenum-conversion"

struct ours {
    struct nccl_id id;
    struct nccl_comm *comm;
    enum nccl_result result;
    enum nccl_type type;
    enum nccl_op op;
    void *stream;
};

struct theirs {
    ncclUniqueId id;
    ncclComm_t comm;
    ncclResult_t result;
    ncclDataType_t type;
    ncclRedOp_t op;
    cudaStream_t stream;
};

#define BOTH(our_name, their_name, parameters) \
    n->our_name parameters(ours), their_name parameters(theirs)
#define NONE(v) ()
#define COMM(v) ((v)->comm)
#define RESULT(v) ((v)->result)
#define MESSAGE(v) (data, 1, (v)->type, 0, (v)->comm, (v)->stream)
#define PLAIN(v) (data, data, 1, (v)->type, (v)->comm, (v)->stream)
#define ROOTED(v) (data, data, 1, (v)->type, 0, (v)->comm, (v)->stream)
#define REDUCED(v) (data, data, 1, (v)->type, (v)->op, (v)->comm, (v)->stream)
#define REDUCED_AT(v) \
    (data, data, 1, (v)->type, (v)->op, 0, (v)->comm, (v)->stream)

void nccl_abi(const struct nccl *n, struct ours *ours, struct theirs *theirs,
              void *data, int *version);

void
nccl_abi(const struct nccl *n, struct ours *ours, struct theirs *theirs,
         void *data, int *version)
{
    n->get_version(version), ncclGetVersion(version);
    n->get_unique_id(&ours->id), ncclGetUniqueId(&theirs->id);
    n->comm_init_rank(&ours->comm, 2, ours->id, 1);
    ncclCommInitRank(&theirs->comm, 2, theirs->id, 1);
    n->comm_get_async_error(ours->comm, &ours->result);
    ncclCommGetAsyncError(theirs->comm, &theirs->result);
    BOTH(comm_abort, ncclCommAbort, COMM);
    BOTH(group_start, ncclGroupStart, NONE);
    BOTH(group_end, ncclGroupEnd, NONE);
    BOTH(get_error_string, ncclGetErrorString, RESULT);
    BOTH(get_last_error, ncclGetLastError, COMM);
    BOTH(send, ncclSend, MESSAGE);
    BOTH(recv, ncclRecv, MESSAGE);
    BOTH(all_reduce, ncclAllReduce, REDUCED);
    BOTH(broadcast, ncclBroadcast, ROOTED);
    BOTH(reduce, ncclReduce, REDUCED_AT);
    BOTH(all_gather, ncclAllGather, PLAIN);
    BOTH(reduce_scatter, ncclReduceScatter, REDUCED);
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
    BOTH(all_to_all, ncclAlltoAll, PLAIN);
    BOTH(gather, ncclGather, ROOTED);
    BOTH(scatter, ncclScatter, ROOTED);
#endif
}
