/* SPDX-License-Identifier: MIT */
/* Shift: every rank sends to the next and receives from the one before.
 *
 * Source: nccl-tests, src/sendrecv.cu (sendrecv_perf). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static void
sendrecv_shift_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks;

    if (n > 1 || !o->in_place)
        schedule_step(s, N_("send and receive"));
    for (int rank = 0; rank < n && s->nsteps > 0; rank++)
        work_move(s, TRANSFER_COPY, rank, schedule_input(s, rank).first,
                  (rank + 1) % n, schedule_output(s, (rank + 1) % n).first, 1);
}

static struct path
sendrecv_shift_path(const struct coll_options *o)
{
    double one = o->nranks > 1;

    return (struct path){one, one, 0};
}

const struct algorithm sendrecv_shift = {
    .name = N_("shift"),
    .collective = "sendrecv",
    .topology = TOPOLOGY_RING,
    .build = sendrecv_shift_build,
    .path = sendrecv_shift_path,
    .formulas = {"1", "S"},
    .idea = N_("every rank sends to the next and receives from the one "
               "before"),
    .when = N_("measuring links"),
    .nccl = "ncclSend and ncclRecv",
    .source = "nccl-tests, src/sendrecv.cu",
};
