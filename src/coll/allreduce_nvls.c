/* SPDX-License-Identifier: MIT */
/* NVLS all-reduce: the switch between the GPUs adds and multicasts.
 *
 * Every rank lets the switch add all of its chunks.  Rank r takes the sum of
 * chunk r from the switch and gives it back, and the switch sends it to all.
 * NCCL's ranks do so with two instructions: multimem.ld_reduce reads a sum,
 * multimem.st writes to all.  The data is cut into C parts of N chunks that
 * follow one another: 4 + C-1 steps.  A rank sends its data once and its share
 * of the sum, (N+1)/N S in all, and receives as much; in a ring it sends and
 * receives 2(N-1)/N S.
 *
 * Source: NCCL, src/device/all_reduce.h (RunWorkColl, NCCL_ALGO_NVLS),
 * src/transport/nvls.cc; B. Klenk, N. Jiang, G. Thorson, L. Dennison, "An
 * in-network architecture for accelerating shared-memory multiprocessor
 * collectives", ISCA 2020. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static int
nvls_pieces(const struct coll_options *o)
{
    return o->nranks * o->chunks;
}

/* Part `part`, from 0, in one of its four steps. */
static void
add_nvls_part(struct schedule *s, int n, int work, int part, int step)
{
    int first = work + part * n;

    for (int rank = 0; rank < n; rank++)
        switch (step) {
        case 0:
            work_move(s, rank == 0 ? TRANSFER_COPY : TRANSFER_REDUCE, rank,
                      first, n, first, n);
            break;
        case 1:
            work_copy(s, n, rank, first + rank, 1);
            break;
        case 2:
            work_copy(s, rank, n, first + rank, 1);
            break;
        default:
            work_copy(s, n, rank, first, n);
        }
}

static void
nvls_build(struct schedule *s, const struct coll_options *o)
{
    int work = work_begin(s);
    int last = o->nranks > 1 ? 4 + o->chunks - 1 : 0;

    for (int step = 0; step < last; step++) {
        schedule_step(s, step < 2 ? N_("reduce-scatter")
                         : step < 2 + o->chunks - 1
                             ? N_("reduce-scatter and all-gather")
                             : N_("all-gather"));
        for (int part = 0; part < o->chunks; part++)
            if (step - part >= 0 && step - part < 4)
                add_nvls_part(s, o->nranks, work, part, step - part);
    }
}

const struct algorithm allreduce_nvls = {
    .name = N_("nvls"),
    .collective = "allreduce",
    .topology = TOPOLOGY_STAR,
    .chunks = 1,
    .pieces = nvls_pieces,
    .switches = coll_if_others,
    .build = nvls_build,
    .formulas = {"4 + C-1", "(N+1)/N S"},
    .idea = N_("the switch between the GPUs adds up what all send, and sends "
               "the sum to all"),
    .nccl = "NVLS, RSxLDMC_AGxSTMC",
    .when = N_("GPUs on one switch that can add: NVLink SHARP"),
    .source = "NCCL, src/device/all_reduce.h; Klenk et al. 2020",
};
