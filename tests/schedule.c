/* SPDX-License-Identifier: MIT */
#include "schedule/schedule.h"

#include <stdlib.h>

#include "schedule/check.h"
#include "made.h"
#include "tap.h"

/* Two ranks swap their only chunk and add: the smallest all-reduce. */
#define EXCHANGE "0.0+1.0 1.0+0.0"

static void
test_labels(void)
{
    char text[LABEL_RANK_MAX];

    is_str(label_rank(0, text), "A", "rank 0 is A");
    is_str(label_rank(17, text), "R", "rank 17 is R");
    is_str(label_rank(18, text), "T", "S is reserved for sums");
    is_str(label_rank(24, text), "Z", "rank 24 is Z");
    is_str(label_rank(25, text), "AA", "then AA");
    is_str(label_rank(1023, text), "AOY", "rank 1023");
}

static void
test_cuts(void)
{
    OWNS(schedule) *s = made_in_place(4, 4, 0, NULL);
    int64_t sum = 0;

    for (int c = 0; c < 4; c++)
        sum += schedule_chunk_length(s, 10, c);
    is_int(sum, 10, "chunks of 10 elements add up");
    is_int(schedule_chunk_length(s, 10, 1), 3, "the first ones are longer");
    is_int(schedule_chunk_length(s, 10, 2), 2, "by one");
    is_int(schedule_chunk_length(s, 3, 3), 0, "fewer elements than chunks");
    is_int(schedule_chunk_length(s, 0, 0), 0, "no elements");
}

/* The least that some rank of 4 must send, in units of its input. */
static void
test_least_sent(void)
{
    static const struct {
        const char *name;
        double least;
    } known[] = {
        {"allreduce", 1.5}, {"broadcast", 1},      {"reduce", 1},
        {"scatter", 0.75},  {"gather", 1},         {"allgather", 3},
        {"alltoall", 0.75}, {"reduce-scatter", 0.75}, {"sendrecv", 1},
        {"scan", 1},        {"exscan", 1},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct collective *c = collective_find(known[i].name);
        double least = collective_least_sent(c, 4);
        ok(least == known[i].least, "%s: some rank sends at least %g, of %g",
           known[i].name, known[i].least, least);
        ok(collective_least_sent(c, 1) == 0, "one rank alone sends nothing");
    }
    ok(collective_at((int)(sizeof known / sizeof known[0])) == NULL,
       "these are all collectives");
}

/* Checks the error that a wrong schedule gets. */
static void
is_wrong(struct schedule *s, const char *reason, const char *name)
{
    struct err err = {.text = ""};

    ok(!schedule_check(s, 10, NULL, &err), "%s is refused", name);
    if (!ok(strstr(err.text, reason) != NULL, "%s: with the reason", name))
        diag("it says: %s", err.text);
    schedule_free(s);
}

/* All-reduces.  With scratch, slots are input 0 and 1, output 2 and 3, scratch
 * 4 and 5. */
static const struct wrong {
    const char *name;
    struct schedule_spec spec;
    const char *steps, *reason;
} wrongs[] = {
#define IN_PLACE(n, k) {.nranks = n, .pieces = k, .in_place = true}
#define SCRATCH {.nranks = 2, .pieces = 2, .scratch = 2}
    {"a sum that reaches one rank only", IN_PLACE(2, 1), "0.0+1.0",
     "rank 0's output ends as A0: B0 is missing"},
    {"a sum added twice", IN_PLACE(2, 1), EXCHANGE "; 0.0+1.0",
     "more than once: step 2"},
    {"a sum that was added to another", IN_PLACE(3, 1),
     "2.0+1.0; 2.0+1.0; 1.0+0.0; 0.0>1.0 0.0>2.0", "more than once: step 2"},
    {"a long sum, which is cut", IN_PLACE(12, 1),
     "1.0+0.0 2.0+0.0 3.0+0.0 4.0+0.0 5.0+0.0 6.0+0.0 7.0+0.0 8.0+0.0 9.0+0.0 "
     "10.0+0.0", "rank 0's output ends as A0+B0+C0+D0+E0+F0+G0+H0+...: L0 is "
     "missing"},
    {"a sum added three times", IN_PLACE(2, 1),
     EXCHANGE "; 0.0+1.0; 0.0+1.0", "more than once: step 2"},
    {"crossed chunks", IN_PLACE(2, 2), "0.0+1.1",
     "rank 0's output ends as A0"},
    {"a written input out of place", {.nranks = 2, .pieces = 1},
     "0.0+1.0; 1.0>0.1 1.0>1.1", "rank 1's input is written"},
    /* Memory that nobody wrote. */
    {"a sum onto it", SCRATCH, "0.0+1.5",
     "step 1: rank 1 adds to slot 5, chunk 1 of its scratch, which was never "
     "written"},
    {"adding it", SCRATCH, "0.4+1.1",
     "step 1: rank 0 sends slot 4, chunk 0 of its scratch"},
    {"a copy of it", SCRATCH, "0.3>1.4",
     "step 1: rank 0 sends slot 3, chunk 1 of its output"},
    {"the same within a rank", SCRATCH, "0.4>0.2",
     "step 1: rank 0 moves slot 4"},
    {"a sum of it, put elsewhere", SCRATCH, "0.0+1.2=4",
     "step 1: rank 1 adds to slot 2, chunk 0 of its output"},
    {"one slot of two", SCRATCH, "0.0>1.4; 0.0+1.4*2",
     "step 2: rank 1 adds to slot 5"},
    {"what this very step writes", SCRATCH, "0.0>1.4 1.4>0.4",
     "step 1: rank 1 sends slot 4"},
    {"even where nothing depends on it",
     {.nranks = 2, .pieces = 1, .scratch = 2, .in_place = true},
     EXCHANGE " 0.2>1.2",
     "step 1: rank 0 sends slot 2, chunk 1 of its scratch"},
    /* Of several faults the first in time is reported. */
    {"two reads, the first one", SCRATCH, "0.0>1.4; 0.4+1.5; 0.1+1.5",
     "step 2: rank 0 sends slot 4"},
    {"a sum added twice, then a read",
     {.nranks = 2, .pieces = 1, .scratch = 1, .in_place = true},
     EXCHANGE "; 0.0+1.0; 0.1>1.1", "step 2 adds it again"},
    {"a read, then a sum added twice",
     {.nranks = 2, .pieces = 1, .scratch = 1, .in_place = true},
     EXCHANGE "; 0.1>1.1; 0.0+1.0", "step 2: rank 0 sends slot 1"},
    {"a link that is not there, and sums that stay away",
     {.nranks = 4, .pieces = 1, .in_place = true,
      .topology = {.kind = TOPOLOGY_RING}}, "0.0+2.0",
     "step 1: rank 0 sends to rank 2; there is no such link"},
    /* No schedules at all. */
    {"a rank that is not there", IN_PLACE(2, 1), "0.0>2.0",
     "from rank 0 to rank 2"},
    {"a slot that is not there", IN_PLACE(2, 2), "0.1>1.0*2",
     "a rank's slots are 0 to 1"},
    {"two copies into a slot", IN_PLACE(3, 1), "0.0>1.0 2.0>1.0",
     "written twice"},
    {"a copy onto a reduction", IN_PLACE(3, 1), "0.0+1.0 2.0>1.0",
     "written twice"},
    {"a copy after a sum that began with one", IN_PLACE(4, 1),
     "0.0>1.0 2.0+1.0 3.0>1.0", "written twice"},
};

static void
test_wrong(void)
{
    for (size_t i = 0; i < sizeof wrongs / sizeof wrongs[0]; i++)
        is_wrong(made(wrongs[i].spec, wrongs[i].steps), wrongs[i].reason,
                 wrongs[i].name);
    is_wrong(made((struct schedule_spec){
                      .collective = collective_find("broadcast"), .nranks = 2,
                      .pieces = 1, .in_place = true}, "1.0>0.0 0.0>1.0"),
             "step 1: rank 1 sends slot 0, chunk 0 of its buffer",
             "the room for an input that only the root has");
    /* 4, 3 and 3 elements: rank 1's first chunk takes a way through rank 2. */
    is_wrong(made((struct schedule_spec){
                      .collective = collective_find("alltoall"), .nranks = 3,
                      .pieces = 1},
                  "0.0>0.3 0.1>1.3 1.0>2.3 1.1>1.4 1.2>2.4 2.0>0.5 2.1>1.5 "
                  "2.2>2.5; 2.3>0.4; 0.2>2.3"),
             "step 1: chunk 0, of 4 elements, is cut in slot 3 of rank 2, "
             "chunk 0 of its output, which has room for 3; with a multiple of "
             "3 elements", "a chunk in the room of a shorter one");
}

/* More slots in a step than are allowed in all: reading such a recording would
 * take as much memory. */
static void
test_large_step(void)
{
    struct schedule *s = made_in_place(2, SCHEDULE_CHUNKS_MAX, 0, "");

    for (int i = 0; i <= SCHEDULE_CELLS_MAX / SCHEDULE_CHUNKS_MAX; i++)
        schedule_add(s, (struct transfer){.dst = 1,
                                          .nslots = SCHEDULE_CHUNKS_MAX,
                                          .op = TRANSFER_REDUCE});
    is_wrong(s, "step 1 moves 16842495 slots", "a step of too many slots");
}

static void
test_names(void)
{
    OWNS(schedule) *none = made_in_place(2, 1, 0, EXCHANGE);
    OWNS(schedule) *one = made_in_place(2, 1, 0, EXCHANGE "; 0.0>1.0");

    is_int(schedule_sums_named_from(none), 2, "nothing copies: no S0");
    is_int(schedule_sums_named_from(one), 2, "the first step that only copies");
}

/* Which chunk each slot of a walk holds, by step, sender and its place in the
 * transfer: "1/0.0:0 2/1.0:1". */
static void
note_chunk(void *state, int step, const struct transfer *t, int k, int chunk)
{
    char *text = state;
    size_t length = strlen(text);

    snprintf(text + length, 64 - length, "%s%d/%d.%d:%d",
             length > 0 ? " " : "", step, t->src, k, chunk);
}

/* In step 1 the ranks swap two slots: both transfers read chunks as they were
 * before the step. Step 2 sees what step 1 wrote. */
static void
test_walk(void)
{
    OWNS(schedule) *s = made_in_place(2, 2, 0, "0.0>1.1 1.1>0.0; 1.0>0.0*2");
    char text[64] = "";

    schedule_walk(s, note_chunk, text);
    is_str(text, "1/0.0:0 1/1.0:1 2/1.0:0 2/1.1:0",
           "the chunks that a walk visits");
}

/* Scans promise sums up to a rank, which may also hold too much. */
static void
test_scan(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("scan"), .algorithm = "test",
        .nranks = 3, .pieces = 1, .in_place = true});

    schedule_step(s, "one");
    reduce_chunk(s, 2, 1, 0);
    schedule_step(s, "two");
    reduce_chunk(s, 0, 1, 0);
    is_wrong(s, "rank 1's output ends as A0+B0+C0: it should hold chunk 0 of "
             "A-B", "a rank that has more than its scan");
    s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("exscan"), .algorithm = "test",
        .nranks = 2, .pieces = 1, .in_place = true});
    is_wrong(s, "rank 1's output ends as B0: A0 is missing",
             "an exclusive scan with the own data");
}

int
main(void)
{
    test_labels();
    test_cuts();
    test_least_sent();
    test_wrong();
    test_large_step();
    test_names();
    test_walk();
    test_scan();
    return done_testing();
}
