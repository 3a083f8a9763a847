/* SPDX-License-Identifier: MIT */
/* The ring, send by send. */
#include "coll/coll.h"
#include "schedule/check.h"
#include "schedule/label.h"
#include "tap.h"

/* On 3 ranks: rank 0 sends chunks 2, 1, 0, 2; rank 1 sends 0, 2, 1, 0; rank 2
 * sends 1, 0, 2, 1. */
static void
test_nccl_order(void)
{
    static const int sends[3][4] = {{2, 1, 0, 2}, {0, 2, 1, 0}, {1, 0, 2, 1}};
    const struct algorithm *a;
    struct coll_options o = {.nranks = 3, .in_place = true};
    struct schedule *s;
    struct err err;

    coll_find("ring-allreduce", &a, &err);
    s = coll_build(a, &o, &err);
    is_int(s->nsteps, 4, "3 ranks: 4 steps");
    for (int k = 0; k < s->nsteps; k++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, k + 1, &count);
        for (size_t i = 0; i < count; i++, t++) {
            is_int(t->src_slot, sends[t->src][k],
                   "rank %d sends its chunk in step %d", t->src, k + 1);
            is_int(t->dst, (t->src + 1) % 3, "to the next rank");
            is_int(t->op, k < 2 ? TRANSFER_REDUCE : TRANSFER_COPY,
                   "which reduces, then copies");
        }
    }
    is_int(schedule_sums_named_from(s), 3, "sums are named from step 3 on");
    schedule_free(s);
}

static void
test_bytes(void)
{
    const struct algorithm *a;
    struct coll_options o = {.nranks = 4, .in_place = true};
    struct schedule *s;
    struct check_counts counts;
    struct err err;

    coll_find("allreduce", &a, &err);
    s = coll_build(a, &o, &err);
    ok(schedule_check(s, 1000, &counts, &err), "4 ranks, 1000 elements");
    is_int(counts.most_sent, 1500, "each sends 2(N-1)/N of its data");
    is_int(counts.most_received, 1500, "and receives as much");
    is_int(counts.total, 6000, "6000 elements over all links");
    ok(schedule_check(s, 2, &counts, &err), "fewer elements than ranks");
    is_int(counts.total, 2 * 2 * 3, "empty chunks cost nothing");
    schedule_free(s);
}

static void
test_names(void)
{
    const struct algorithm *a;
    struct err err;

    ok(coll_find("ring-allreduce", &a, &err), "by its full name");
    ok(coll_find("allreduce", &a, &err), "by its collective");
    ok(coll_find("ring", &a, &err) &&
           strcmp(a->collective, "allreduce") == 0 &&
           coll_meanings("ring") > 1,
       "half a name, of several collectives, is that of all-reduce");
    ok(coll_find("pairwise", &a, &err) &&
           strcmp(a->collective, "allreduce") != 0, "if that has one");
    ok(!coll_find("ring-allreduc", &a, &err) &&
           strstr(err.text, "did you mean ring-allreduce?") != NULL,
       "the error names what is near");
    ok(!coll_find("\033[31m", &a, &err) && strchr(err.text, '\033') == NULL,
       "and never repeats control characters");
}

int
main(void)
{
    test_nccl_order();
    test_bytes();
    test_names();
    return done_testing();
}
