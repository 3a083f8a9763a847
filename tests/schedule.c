/* SPDX-License-Identifier: MIT */
#include "schedule/schedule.h"

#include <stdlib.h>

#include "schedule/check.h"
#include "schedule/label.h"
#include "tap.h"

static struct schedule *
allreduce(int nranks, int pieces, bool in_place)
{
    return schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "test",
        .nranks = nranks, .pieces = pieces, .in_place = in_place});
}

/* Two ranks swap their only chunk and add: the smallest all-reduce. */
static struct schedule *
exchange(void)
{
    struct schedule *s = allreduce(2, 1, true);

    schedule_step(s, "exchange");
    schedule_reduce(s, 0, 1, 0);
    schedule_reduce(s, 1, 0, 0);
    return s;
}

static void
test_labels(void)
{
    char text[LABEL_RANK_MAX];

    is_str(label_rank(0, text), "A", "rank 0 is A");
    is_str(label_rank(17, text), "R", "rank 17 is R");
    is_str(label_rank(18, text), "T", "S is left to sums");
    is_str(label_rank(24, text), "Z", "rank 24 is Z");
    is_str(label_rank(25, text), "AA", "then AA");
    is_str(label_rank(1023, text), "AOY", "rank 1023");
}

static void
test_cuts(void)
{
    struct schedule *s = allreduce(4, 4, true);
    int64_t sum = 0;

    for (int c = 0; c < 4; c++)
        sum += schedule_chunk_length(s, 10, c);
    is_int(sum, 10, "chunks of 10 elements add up");
    is_int(schedule_chunk_length(s, 10, 1), 3, "the first ones are longer");
    is_int(schedule_chunk_length(s, 10, 2), 2, "by one");
    is_int(schedule_chunk_length(s, 3, 3), 0, "fewer elements than chunks");
    is_int(schedule_chunk_length(s, 0, 0), 0, "no elements");
    schedule_free(s);
}

static void
test_right(void)
{
    struct schedule *s = exchange();
    struct cost cost;
    struct err err;

    ok(schedule_check(s, 10, &cost, &err), "an exchange of two is right");
    is_int(cost.steps, 1, "in one step");
    is_int(cost.total, 20, "20 elements in all");
    is_int(cost.most_sent, 10, "10 from each");
    is_int(cost.busiest_link, 10, "10 over each link");
    is_int(cost.ports, 1, "one send and one receive each");
    cost_done(&cost);
    schedule_free(s);
}

/* The reason that a wrong schedule is given. */
static void
is_wrong(struct schedule *s, const char *reason, const char *name)
{
    struct err err = {""};

    ok(!schedule_check(s, 10, NULL, &err), "%s is refused", name);
    if (!ok(strstr(err.text, reason) != NULL, "%s: with the reason", name))
        diag("it says: %s", err.text);
    schedule_free(s);
}

static void
test_wrong(void)
{
    struct schedule *s = allreduce(2, 1, true);

    schedule_step(s, "half");
    schedule_reduce(s, 0, 1, 0);
    is_wrong(s, "rank 0's output ends as A0: B0 is missing",
             "a sum that reaches one rank only");

    s = exchange();
    schedule_step(s, "again");
    schedule_reduce(s, 0, 1, 0);
    is_wrong(s, "more than once: step 2", "a sum added twice");

    s = allreduce(2, 2, true);
    schedule_step(s, "crossed");
    schedule_add(s, (struct transfer){.src = 0, .dst = 1, .src_slot = 0,
                                      .dst_slot = 1, .add_slot = 1,
                                      .nslots = 1, .op = TRANSFER_REDUCE});
    is_wrong(s, "rank 0's output ends as A0", "crossed chunks");

    s = allreduce(2, 1, false);
    schedule_step(s, "into the input");
    schedule_add(s, (struct transfer){.src = 0, .dst = 1, .nslots = 1,
                                      .op = TRANSFER_REDUCE});
    schedule_step(s, "out");
    for (int r = 0; r < 2; r++)
        schedule_add(s, (struct transfer){.src = 1, .dst = r, .dst_slot = 1,
                                          .add_slot = 1, .nslots = 1});
    is_wrong(s, "rank 1's input is written", "a written input out of place");
}

static void
test_invalid(void)
{
    struct schedule *s = allreduce(2, 1, true);

    schedule_step(s, "x");
    schedule_add(s, (struct transfer){.src = 0, .dst = 2, .nslots = 1});
    is_wrong(s, "from rank 0 to rank 2", "a rank that is not there");

    s = allreduce(2, 2, true);
    schedule_step(s, "x");
    schedule_add(s, (struct transfer){.src = 0, .dst = 1, .src_slot = 1,
                                      .nslots = 2});
    is_wrong(s, "a rank's slots are 0 to 1", "a slot that is not there");

    s = allreduce(3, 1, true);
    schedule_step(s, "x");
    schedule_copy(s, 0, 1, 0);
    schedule_copy(s, 2, 1, 0);
    is_wrong(s, "written twice", "two copies into a slot");

    s = allreduce(3, 1, true);
    schedule_step(s, "x");
    schedule_reduce(s, 0, 1, 0);
    schedule_copy(s, 2, 1, 0);
    is_wrong(s, "written twice", "a copy onto a reduction");
}

static void
test_names(void)
{
    struct schedule *s = exchange();

    is_int(schedule_sums_named_from(s), 2, "nothing copies: no S0");
    schedule_step(s, "copies");
    schedule_copy(s, 0, 1, 0);
    is_int(schedule_sums_named_from(s), 2, "the first step that only copies");
    schedule_free(s);
}

static void
test_shapes(void)
{
    struct schedule_spec shape = {.collective = collective_find("allreduce"),
                          .algorithm = "x", .nranks = 0, .pieces = 1};
    struct err err;

    ok(!schedule_spec_check(&shape, &err), "0 ranks are refused");
    shape.nranks = SCHEDULE_RANKS_MAX + 1;
    ok(!schedule_spec_check(&shape, &err), "too many ranks are refused");
    shape.nranks = 2;
    shape.root = 2;
    ok(!schedule_spec_check(&shape, &err), "a root that is not there is refused");
    shape.root = 0;
    shape.pieces = SCHEDULE_SLOTS_MAX + 1;
    ok(!schedule_spec_check(&shape, &err), "too many chunks are refused");
    shape.pieces = SCHEDULE_SLOTS_MAX;
    ok(!schedule_spec_check(&shape, &err), "too many slots in all are refused");
}

int
main(void)
{
    test_labels();
    test_cuts();
    test_right();
    test_wrong();
    test_invalid();
    test_names();
    test_shapes();
    return done_testing();
}
