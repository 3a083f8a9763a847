/* SPDX-License-Identifier: MIT */
/* Ring all-reduce.
 *
 * Ranks stand in a ring and only ever send to the next.  The data is cut into
 * N chunks.  Reduce-scatter, N-1 steps: every rank passes on the chunk that it
 * has just added to, so each chunk travels once round the ring and grows by one
 * contribution per step; rank r ends up with the complete chunk r.  All-gather,
 * N-1 steps: the complete chunks travel round once more and replace the old
 * content.
 *
 * 2(N-1) steps; each rank sends 2(N-1)/N of its data, the least that an
 * all-reduce made of sends and receives can do; every link is busy in every
 * step.
 *
 * In step k (from 0) rank i sends chunk i-1-k and receives chunk i-2-k, modulo
 * N: NCCL's numbering (src/device/all_reduce.h, runRing).  In Baidu's, and in
 * many blogs, rank i first sends chunk i; that is the same algorithm with other
 * numbers, and a rank then owns chunk i+1 after the first half.
 *
 * Out of place the first contribution is added from the input as it passes:
 * out[c] = in[c] + received.
 *
 * Source: P. Patarasuk, X. Yuan, "Bandwidth optimal all-reduce algorithms for
 * clusters of workstations", JPDC 69 (2009). */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

/* Every rank sends to the next one, in round k of either half. */
static void
add_ring_round(struct schedule *s, int k)
{
    int n = s->nranks;
    bool reduces = k < n - 1;

    for (int i = 0; i < n; i++) {
        int next = modulo(i + 1, n);
        int chunk = modulo(i - 1 - k, n);
        int out = schedule_output(s, i).first;
        int in = schedule_input(s, i).first;

        schedule_add(s, (struct transfer){
            .src = i,
            .dst = next,
            .src_slot = (k == 0 ? in : out) + chunk,
            .dst_slot = schedule_output(s, next).first + chunk,
            .add_slot = (reduces ? schedule_input(s, next).first
                                 : schedule_output(s, next).first) + chunk,
            .nslots = 1,
            .op = reduces ? TRANSFER_REDUCE : TRANSFER_COPY,
        });
    }
}

static void
allreduce_ring_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks;

    for (int k = 0; k < 2 * (n - 1); k++) {
        schedule_step(s, k < n - 1 ? N_("reduce-scatter") : N_("all-gather"));
        add_ring_round(s, k);
    }
    if (n == 1)
        work_begin(s);
}

const struct algorithm allreduce_ring = {
    .name = N_("ring"),
    .collective = "allreduce",
    .topology = TOPOLOGY_RING,
    .pieces = coll_ranks,
    .build = allreduce_ring_build,
    .path = coll_path_twice_others,
    .formulas = {"2(N-1)", "2(N-1)/N S"},
    .idea = N_("chunks travel round the ring twice: once to be summed, once "
               "to be handed out"),
    .when = N_("large data: no rank sends more than it must, and all links "
               "are busy all the time"),
    .nccl = "Ring",
    .mpi = "4 ring, 5 segmented_ring",
    .source = "Patarasuk & Yuan 2009",
};
