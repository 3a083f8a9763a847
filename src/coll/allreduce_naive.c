/* SPDX-License-Identifier: MIT */
/* Naive all-reduce.
 *
 * Every rank sends everything to every other, and each adds it all up in the
 * order of ranks.  So all get the same sum, bit for bit; floating-point
 * addition in different orders would not give that.  One step of N-1 sends;
 * every rank sends N-1 times its data.  This is what people write first.
 *
 * With multicast every rank sends its data to the switch between the GPUs once,
 * which sends it to all. */
#include "base/translate.h"
#include "coll/algorithms.h"
#include "coll/lib/parts.h"

static int
data_slot(const struct schedule *s, int rank, int from)
{
    return rank == from ? schedule_input(s, rank).first
                        : schedule_scratch(s) + from;
}

static void
add_up(struct schedule *s, int rank)
{
    for (int from = 1; from < schedule_members(s); from++)
        schedule_add(s, (struct transfer){
            .src = rank,
            .dst = rank,
            .src_slot = data_slot(s, rank, from),
            .dst_slot = schedule_output(s, rank).first,
            .add_slot = data_slot(s, rank, 0),
            .nslots = 1,
            .op = TRANSFER_REDUCE,
        });
}

static void
allreduce_naive_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks;

    if (n == 1) {
        work_begin(s);
        return;
    }
    schedule_step(s, N_("exchange"));
    for (int k = 1; k < n; k++)
        for (int i = 0; i < n; i++)
            work_move(s, TRANSFER_COPY, i, schedule_input(s, i).first,
                      (i + k) % n, schedule_scratch(s) + i, 1);
    schedule_step(s, N_("add up"));
    for (int i = 0; i < n; i++)
        add_up(s, i);
}

static void
allreduce_multicast_build(struct schedule *s, const struct coll_options *o)
{
    int n = o->nranks, all = schedule_scratch(s);

    if (n == 1) {
        work_begin(s);
        return;
    }
    schedule_step(s, N_("to the switch"));
    for (int i = 0; i < n; i++)
        work_move(s, TRANSFER_COPY, i, schedule_input(s, i).first, n, all + i,
                  1);
    schedule_step(s, N_("from the switch"));
    for (int i = 0; i < n; i++)
        work_copy(s, n, i, all, n);
    schedule_step(s, N_("add up"));
    for (int i = 0; i < n; i++)
        add_up(s, i);
}

const struct algorithm allreduce_naive = {
    .name = N_("naive"),
    .collective = "allreduce",
    .aliases = {"all-to-all"},
    .scratch = coll_ranks_if_others,
    .build = allreduce_naive_build,
    .path = coll_path_others,
    .formulas = {"1", "(N-1) S"},
    .idea = N_("everyone sends everything to everyone and adds up in rank "
               "order"),
    .when = N_("very small data on very few ranks"),
    .nccl = "AGxLL_R",
    .mpi = "7 allgather_reduce",
    .source = "the definition",
};

const struct algorithm allreduce_multicast = {
    .name = N_("multicast"),
    .collective = "allreduce",
    .topology = TOPOLOGY_STAR,
    .scratch = coll_ranks_if_others,
    .switches = coll_if_others,
    .build = allreduce_multicast_build,
    .formulas = {"2", "S"},
    .idea = N_("the switch between the GPUs sends everything to everyone, and "
               "each adds up in rank order"),
    .when = N_("very small data on one switch that multicasts: NVLink SHARP"),
    .nccl = "AGxLLMC_R",
    .source = "NCCL, src/device/symmetric/all_reduce.cuh",
};
