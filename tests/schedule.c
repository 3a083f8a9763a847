/* SPDX-License-Identifier: MIT */
#include "schedule/schedule.h"

#include <stdlib.h>

#include "chunks.h"
#include "schedule/check.h"
#include "schedule/label.h"
#include "random_schedule.h"
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
    reduce_chunk(s, 0, 1, 0);
    reduce_chunk(s, 1, 0, 0);
    return s;
}

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
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const struct collective *c = collective_find(known[i].name);
        double least = c->least_sent(4);
        ok(least == known[i].least, "%s: some rank sends at least %g, of %g",
           known[i].name, known[i].least, least);
        ok(c->least_sent(1) == 0, "one rank alone sends nothing");
    }
    ok(collective_at((int)(sizeof known / sizeof known[0])) == NULL,
       "these are all collectives");
}

static void
test_right(void)
{
    struct schedule *s = exchange();
    struct check_counts counts;
    struct err err;

    ok(schedule_check(s, 10, &counts, &err), "an exchange of two is right");
    is_int(counts.steps, 1, "in one step");
    is_int(counts.total, 20, "20 elements in all");
    is_int(counts.most_sent, 10, "10 from each");
    is_int(counts.busiest_link, 10, "10 over each link");
    is_int(counts.most_received, 10, "10 to each");
    is_int(counts.ports, 1, "one send and one receive each");
    is_int(counts.reduced, 20, "each element is added on both");
    is_int(counts.most_reduced, 10, "10 on each");
    schedule_free(s);
}

/* Rank 0 receives everything; each other rank sends a part. */
static void
test_counts(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("gather"), .algorithm = "test",
        .nranks = 4, .pieces = 1});
    struct check_counts counts;
    struct err err;

    schedule_step(s, "own");
    schedule_add(s, (struct transfer){.dst_slot = 1, .nslots = 1});
    schedule_step(s, "gather");
    for (int rank = 1; rank < 4; rank++)
        schedule_add(s, (struct transfer){.src = rank, .dst_slot = 1 + rank,
                                          .nslots = 1});
    schedule_step(s, "two slots in one message");
    for (int k = 0; k < 2; k++)
        schedule_add(s, (struct transfer){.src = 0, .dst = 3,
                                          .src_slot = 1 + k, .dst_slot = 1 + k,
                                          .nslots = 1});
    ok(schedule_check(s, 10, &counts, &err), "a gather is right");
    is_int(counts.steps, 2, "a step within ranks is not counted");
    is_int(counts.total, 50, "50 elements in all");
    is_int(counts.most_sent, 20, "20 from the busiest sender");
    is_int(counts.most_received, 30, "30 to the busiest receiver");
    is_int(counts.busiest_link, 20, "20 over the busiest link");
    is_int(counts.ports, 3, "from three peers in one step");
    is_int(counts.reduced, 0, "nothing is reduced");
    schedule_free(s);
}

/* An all-reduce in place of one chunk, without steps. */
static struct schedule *
one_chunk(int nranks)
{
    return schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "test",
        .nranks = nranks, .pieces = 1, .in_place = true});
}

/* Checks the error that a wrong schedule gets. */
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
    reduce_chunk(s, 0, 1, 0);
    is_wrong(s, "rank 0's output ends as A0: B0 is missing",
             "a sum that reaches one rank only");

    s = exchange();
    schedule_step(s, "again");
    reduce_chunk(s, 0, 1, 0);
    is_wrong(s, "more than once: step 2", "a sum added twice");

    s = one_chunk(3);
    schedule_step(s, "once");
    reduce_chunk(s, 2, 1, 0);
    schedule_step(s, "twice");
    reduce_chunk(s, 2, 1, 0);
    schedule_step(s, "to the others");
    reduce_chunk(s, 1, 0, 0);
    schedule_step(s, "back");
    copy_chunk(s, 0, 1, 0);
    copy_chunk(s, 0, 2, 0);
    is_wrong(s, "more than once: step 2", "a sum that was added to another");

    s = one_chunk(12);
    schedule_step(s, "all but the last");
    for (int rank = 1; rank < 11; rank++)
        reduce_chunk(s, rank, 0, 0);
    is_wrong(s, "rank 0's output ends as A0+B0+C0+D0+E0+F0+G0+H0+...: L0 is "
             "missing", "a long sum, which is cut");

    s = exchange();
    for (int step = 2; step <= 3; step++) {
        schedule_step(s, "again and again");
        reduce_chunk(s, 0, 1, 0);
    }
    is_wrong(s, "more than once: step 2", "a sum added three times");

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

/* One transfer from slot `from` of rank 0 to slot `to` of rank `dst`. */
static void
add_one(struct schedule *s, enum transfer_op op, int from, int dst, int to)
{
    schedule_add(s, (struct transfer){.dst = dst, .src_slot = from,
                                      .dst_slot = to, .add_slot = to,
                                      .nslots = 1, .op = op});
}

/* Slots: input 0 and 1, output 2 and 3, scratch 4 and 5. */
static struct schedule *
with_scratch(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "test",
        .nranks = 2, .pieces = 2, .scratch = 2});

    schedule_step(s, "first");
    return s;
}

static void
test_unwritten(void)
{
    struct schedule *s = with_scratch();

    add_one(s, TRANSFER_REDUCE, 0, 1, 5);
    is_wrong(s, "step 1: rank 1 adds to slot 5, chunk 1 of its scratch, which "
             "was never written", "a sum onto memory that nobody wrote");

    s = with_scratch();
    add_one(s, TRANSFER_REDUCE, 4, 1, 1);
    is_wrong(s, "step 1: rank 0 sends slot 4, chunk 0 of its scratch",
             "adding what nobody wrote");

    s = with_scratch();
    add_one(s, TRANSFER_COPY, 3, 1, 4);
    is_wrong(s, "step 1: rank 0 sends slot 3, chunk 1 of its output",
             "a copy of what nobody wrote");

    s = with_scratch();
    add_one(s, TRANSFER_COPY, 4, 0, 2);
    is_wrong(s, "step 1: rank 0 moves slot 4", "the same within a rank");

    s = with_scratch();
    schedule_add(s, (struct transfer){.dst = 1, .dst_slot = 4, .add_slot = 2,
                                      .nslots = 1, .op = TRANSFER_REDUCE});
    is_wrong(s, "step 1: rank 1 adds to slot 2, chunk 0 of its output",
             "a sum of what nobody wrote, put elsewhere");

    s = with_scratch();
    add_one(s, TRANSFER_COPY, 0, 1, 4);
    schedule_step(s, "second");
    schedule_add(s, (struct transfer){.dst = 1, .dst_slot = 4, .add_slot = 4,
                                      .nslots = 2, .op = TRANSFER_REDUCE});
    is_wrong(s, "step 2: rank 1 adds to slot 5", "one slot of two");

    s = with_scratch();
    add_one(s, TRANSFER_COPY, 0, 1, 4);
    schedule_add(s, (struct transfer){.src = 1, .src_slot = 4, .dst_slot = 4,
                                      .add_slot = 4, .nslots = 1});
    is_wrong(s, "step 1: rank 1 sends slot 4", "what this very step writes");
}

/* Right, except that memory is read that nobody wrote, and that reaches no
 * output. */
static void
test_unwritten_unused(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "test",
        .nranks = 2, .pieces = 1, .scratch = 2, .in_place = true});

    schedule_step(s, "exchange");
    reduce_chunk(s, 0, 1, 0);
    reduce_chunk(s, 1, 0, 0);
    add_one(s, TRANSFER_COPY, 2, 1, 2);
    is_wrong(s, "step 1: rank 0 sends slot 2, chunk 1 of its scratch",
             "even where nothing depends on it");

    s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("broadcast"), .algorithm = "test",
        .nranks = 2, .pieces = 1, .in_place = true});
    schedule_step(s, "first");
    schedule_add(s, (struct transfer){.src = 1, .nslots = 1});
    copy_chunk(s, 0, 1, 0);
    is_wrong(s, "step 1: rank 1 sends slot 0, chunk 0 of its buffer",
             "the room for an input that only the root has");
}

/* Of several faults the proof reports the first in time. */
static void
test_first_fault(void)
{
    struct schedule *s = with_scratch();

    add_one(s, TRANSFER_COPY, 0, 1, 4);
    schedule_step(s, "second");
    add_one(s, TRANSFER_REDUCE, 4, 1, 5);
    schedule_step(s, "third");
    add_one(s, TRANSFER_REDUCE, 1, 1, 5);
    is_wrong(s, "step 2: rank 0 sends slot 4", "two reads, the first one");

    s = exchange();
    schedule_step(s, "again");
    reduce_chunk(s, 0, 1, 0);
    schedule_add_scratch(s, 1, &(struct err){""});
    schedule_step(s, "at last");
    add_one(s, TRANSFER_COPY, 1, 1, 1);
    is_wrong(s, "step 2 adds it again", "a sum added twice, then a read");

    s = exchange();
    schedule_add_scratch(s, 1, &(struct err){""});
    schedule_step(s, "at first");
    add_one(s, TRANSFER_COPY, 1, 1, 1);
    schedule_step(s, "again");
    reduce_chunk(s, 0, 1, 0);
    is_wrong(s, "step 2: rank 0 sends slot 1",
             "a read, then a sum added twice");

    s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "test",
        .nranks = 4, .pieces = 1, .in_place = true,
        .topology = {.kind = TOPOLOGY_RING}});
    schedule_step(s, "first");
    reduce_chunk(s, 0, 2, 0);
    is_wrong(s, "step 1: rank 0 sends to rank 2; there is no such link",
             "a link that is not there, and sums that stay away");
}

/* A copy of the schedule with one more transfer in step `at`; NULL if that
 * conflicts with the others. */
static struct schedule *
with_one_more(const struct schedule *s, int at, const struct transfer *t)
{
    struct schedule *more = schedule_new(&(struct schedule_spec){
        .collective = s->collective, .algorithm = "more",
        .nranks = s->nranks, .pieces = s->pieces, .scratch = s->scratch,
        .in_place = s->in_place});
    struct err err;

    for (int step = 1; step <= s->nsteps; step++) {
        const struct step *p = &s->steps[step - 1];
        schedule_step(more, "random");
        for (size_t i = 0; i < p->count; i++)
            schedule_add(more, s->transfers[p->first + i]);
        if (step == at)
            schedule_add(more, *t);
    }
    if (schedule_valid(more, &err))
        return more;
    schedule_free(more);
    return NULL;
}

/* The first step that reads memory that no earlier step wrote, found the plain
 * way; 0: none. */
static int
first_unwritten(const struct schedule *s)
{
    struct state state = state_new(s);
    int first = 0;

    for (int step = 1; step <= s->nsteps && first == 0; step++) {
        const struct step *p = &s->steps[step - 1];
        for (size_t i = 0; i < p->count; i++) {
            const struct transfer *t = &s->transfers[p->first + i];
            for (int k = 0; k < t->nslots; k++)
                if (!state.defined[t->src * s->nslots + t->src_slot + k] ||
                    (t->op == TRANSFER_REDUCE &&
                     !state.defined[t->dst * s->nslots + t->add_slot + k]))
                    first = step;
        }
        state_apply(&state, s, step);
    }
    state_free(&state);
    return first;
}

/* Whether the proof says the same. It may instead report a sum that was added
 * twice in an earlier step. */
static bool
proof_agrees(const struct schedule *s, int first)
{
    struct err err = {""};
    const char *twice;
    int step;

    if (schedule_check(s, 10, NULL, &err))
        return first == 0;
    if (strstr(err.text, "never written") != NULL)
        return sscanf(err.text, "step %d", &step) == 1 && step == first;
    twice = strstr(err.text, "once: step ");
    return first == 0 || (twice != NULL &&
                          sscanf(twice, "once: step %d", &step) == 1 &&
                          step <= first);
}

static void
test_unwritten_random(void)
{
    int disagreed = 0, reads = 0, others = 0;

    for (uint32_t seed = 1; seed <= 3000; seed++) {
        uint32_t chance = seed;
        struct state end;
        struct schedule *s = random_schedule(seed, &end), *more = NULL;
        if (s->nsteps > 0) {
            struct transfer t = random_transfer(&end, &chance);
            more = with_one_more(s, 1 + random_below(&chance, s->nsteps), &t);
        }
        if (more != NULL) {
            int first = first_unwritten(more);
            *(first > 0 ? &reads : &others) += 1;
            disagreed += !proof_agrees(more, first);
        }
        disagreed += !proof_agrees(s, 0);
        schedule_free(more);
        schedule_free(s);
        state_free(&end);
    }
    is_int(disagreed, 0, "random schedules: the proof sees what is read "
           "unwritten, and when");
    ok(reads > 300 && others > 300, "they were worth it: %d read it, %d do "
       "not", reads, others);
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
    copy_chunk(s, 0, 1, 0);
    copy_chunk(s, 2, 1, 0);
    is_wrong(s, "written twice", "two copies into a slot");

    s = allreduce(3, 1, true);
    schedule_step(s, "x");
    reduce_chunk(s, 0, 1, 0);
    copy_chunk(s, 2, 1, 0);
    is_wrong(s, "written twice", "a copy onto a reduction");
}

/* More slots in a step than are allowed in all: reading such a recording would
 * take as much memory. */
static void
test_large_step(void)
{
    struct schedule *s = allreduce(2, SCHEDULE_CHUNKS_MAX, true);

    schedule_step(s, "x");
    for (int i = 0; i <= SCHEDULE_CELLS_MAX / SCHEDULE_CHUNKS_MAX; i++)
        schedule_add(s, (struct transfer){.dst = 1,
                                          .nslots = SCHEDULE_CHUNKS_MAX,
                                          .op = TRANSFER_REDUCE});
    is_wrong(s, "step 1 moves 16842495 slots", "a step of too many slots");
}

static void
test_names(void)
{
    struct schedule *s = exchange();

    is_int(schedule_sums_named_from(s), 2, "nothing copies: no S0");
    schedule_step(s, "copies");
    copy_chunk(s, 0, 1, 0);
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
    ok(!schedule_spec_check(&shape, &err),
       "a root that is not there is refused");
    shape.root = 0;
    shape.pieces = SCHEDULE_SLOTS_MAX + 1;
    ok(!schedule_spec_check(&shape, &err), "too many chunks are refused");
    shape.pieces = SCHEDULE_SLOTS_MAX;
    ok(!schedule_spec_check(&shape, &err), "too many slots in all are refused");
    shape.pieces = 1;
    ok(schedule_spec_check(&shape, &err), "2 ranks and a chunk are not");
    shape.topology = (struct topology){TOPOLOGY_TORUS, {1, 3, 1}};
    ok(!schedule_spec_check(&shape, &err), "a torus of 3 ranks is refused");
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
    struct schedule *s = allreduce(2, 2, true);
    char text[64] = "";

    schedule_step(s, "swap");
    schedule_add(s, (struct transfer){.dst_slot = 1, .dst = 1, .nslots = 1});
    schedule_add(s, (struct transfer){.src = 1, .src_slot = 1, .nslots = 1});
    schedule_step(s, "back");
    schedule_add(s, (struct transfer){.src = 1, .dst = 0, .nslots = 2});
    schedule_walk(s, note_chunk, text);
    is_str(text, "1/0.0:0 1/1.0:1 2/1.0:0 2/1.1:0",
           "the chunks that a walk visits");
    schedule_free(s);
}

int
main(void)
{
    test_labels();
    test_cuts();
    test_least_sent();
    test_right();
    test_counts();
    test_wrong();
    test_unwritten();
    test_unwritten_unused();
    test_first_fault();
    test_unwritten_random();
    test_invalid();
    test_large_step();
    test_names();
    test_shapes();
    test_walk();
    return done_testing();
}
