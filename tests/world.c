/* SPDX-License-Identifier: MIT */
/* The world against the plain meaning of random schedules: at every step, in
 * any order of seeking, with events in any order that ranks can produce. */
#include "model/world.h"

#include <stdlib.h>

#include "made.h"
#include "random_schedule.h"
#include "tap.h"

/* The value of a slot stands for its content: it is put at the first
 * element. */
static uint64_t *
content_of(const struct schedule *s, uint64_t value)
{
    uint64_t *content =
        mem_new((size_t)content_words(s->nranks), sizeof *content);

    content[ledger_words(s->nranks)] = 1;
    content[ledger_words(s->nranks) + 1] = value;
    return content;
}

static void
feed_run(struct world *w, const struct schedule *s)
{
    struct run_info info = {.backend = "test", .type = DTYPE_INT64,
                            .nplaces = 1, .count = s->nchunks};
    OWN(plain) start = plain_run(s, 0);
    int words = content_words(s->nranks);
    struct err err;

    world_add(w, &(struct item){.type = ITEM_RUN, .run = &info,
                                .schedule = s}, &err);
    for (int r = 0; r < s->nranks; r++) {
        uint64_t *contents =
            mem_new((size_t)s->nslots * (size_t)words, sizeof *contents);
        for (int k = 0; k < s->nslots; k++) {
            struct plain_cell cell = start.now[plain_at(&start, r, k)];
            contents[k * words + ledger_words(s->nranks)] =
                cell.chunk != PLAIN_NONE;
            contents[k * words + ledger_words(s->nranks) + 1] = cell.value;
        }
        world_add(w, &(struct item){.type = ITEM_INPUT, .rank = r,
                                    .content = contents}, &err);
        free(contents);
    }
}

/* Events of a step, one for each slot; `after` is a run up to the step. */
static void
feed_step(struct world *w, const struct schedule *s, const struct plain *after,
          int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);
    struct err err;

    for (size_t i = 0; i < count; i++, t++)
        for (int k = 0; k < t->nslots; k++) {
            struct item item = {
                .type = ITEM_TRANSFER,
                .event = {.step = step, .src = t->src, .dst = t->dst,
                          .src_slot = t->src_slot + k,
                          .dst_slot = t->dst_slot + k, .nslots = 1,
                          .bytes = t->src != t->dst ? 8 : 0}};
            item.event.content = content_of(
                s, after->now[plain_at(after, t->dst, t->dst_slot + k)].value);
            world_add(w, &item, &err);
            free(item.event.content);
        }
}

/* avg: every rank divides its output, here by 2, and so is that of `end`. */
static void
feed_divisions(struct world *w, const struct schedule *s, struct plain *end)
{
    struct err err;

    for (int rank = 0; rank < s->nranks; rank++) {
        struct region out = schedule_output(s, rank);
        for (int k = out.first; k < out.first + out.count; k++) {
            uint64_t *value = &end->now[plain_at(end, rank, k)].value;
            struct item item = {
                .type = ITEM_TRANSFER,
                .event = {.step = s->nsteps + 1, .src = rank, .dst = rank,
                          .src_slot = k, .dst_slot = k, .nslots = 1,
                          .op = EVENT_DIVIDE}};
            *value /= 2;
            item.event.content = content_of(s, *value);
            world_add(w, &item, &err);
            free(item.event.content);
        }
    }
}

/* Whether the world has the values of a run, at a position; -1: the current
 * one. */
static bool
agrees(const struct world *w, const struct plain *want, int position)
{
    int ledger = ledger_words(want->s->nranks);

    for (int r = 0; r < want->s->nranks; r++)
        for (int k = 0; k < want->s->nslots; k++) {
            struct plain_cell cell = want->now[plain_at(want, r, k)];
            uint64_t value =
                position < 0 ? world_values(w, r, k)[0]
                             : world_row_at(w, r, k, position)[ledger + 1];
            if (cell.chunk != PLAIN_NONE && cell.value != value)
                return false;
        }
    return true;
}

static void
test_seek(void)
{
    int wrong = 0, elsewhere = 0, incomplete = 0, bytes_left = 0;

    for (uint32_t seed = 1; seed <= 300; seed++) {
        OWNS(schedule) *s = random_schedule(seed);
        OWNS(world) *w = world_new();
        struct plain states[10];
        uint32_t at = seed;

        feed_run(w, s);
        for (int step = 0; step <= s->nsteps; step++)
            states[step] = plain_run(s, step);
        /* step 2 before step 1, as happens when ranks run freely: the world
         * keeps them apart */
        for (int step = s->nsteps; step >= 1; step--)
            feed_step(w, s, &states[step], step);
        if (seed % 2)
            feed_divisions(w, s, &states[s->nsteps]);
        incomplete += world_complete_steps(w) != s->nsteps;
        for (int i = 0; i < 30; i++) {
            int step = random_below(&at, s->nsteps + 1);
            world_seek(w, step);
            wrong += !agrees(w, &states[step], -1);
            step = random_below(&at, s->nsteps + 1);
            elsewhere += !agrees(w, &states[step], step);
        }
        world_seek(w, 0);
        for (int r = 0; r < s->nranks; r++)
            bytes_left += w->sent[r] != 0;
        for (int step = 0; step <= s->nsteps; step++)
            plain_done(&states[step]);
    }
    is_int(incomplete, 0, "every step of 300 runs is known in full");
    is_int(wrong, 0, "and is the same from any position");
    is_int(elsewhere, 0, "other steps can be read without a seek");
    is_int(bytes_left, 0, "bytes sent go back with it");
}

/* The user looks at the past while the run goes on, and at its newest state. */
static void
test_append(void)
{
    int wrong = 0;

    for (uint32_t seed = 1; seed <= 100; seed++) {
        OWNS(schedule) *s = random_schedule(seed);
        OWNS(world) *w = world_new();
        OWN(plain) now = plain_run(s, 0);

        feed_run(w, s);
        if (s->nsteps > 0)
            world_seek(w, s->nsteps); /* before anything has happened */
        for (int step = 1; step <= s->nsteps; step++) {
            plain_step(&now, step);
            feed_step(w, s, &now, step);
            wrong += !agrees(w, &now, -1);
        }
    }
    is_int(wrong, 0, "events of the current step change the state");
}

/* A step is complete with the first slice of each of its transfers. */
static void
test_slices(void)
{
    OWNS(schedule) *s = made_in_place(2, 1, 0, "0.0>1.0");
    OWNS(world) *w = world_new();
    struct item item = {.type = ITEM_TRANSFER,
                        .event = {.step = 1, .src = 0, .dst = 1, .nslots = 1,
                                  .slice = 1, .end_ns = 9}};
    struct err err;

    feed_run(w, s);
    ok(w->to_send[0] == 8 && w->to_send[1] == 0 && w->to_receive[1] == 8 &&
           w->links[1].total == 8,
       "what ranks will send is known from the start");
    ok(world_add(w, &item, &err) && !world_step_complete(w, 1),
       "a step is not complete with a slice other than the first");
    item.event.slice = 0;
    item.event.end_ns = 5;
    ok(world_add(w, &item, &err) && world_step_complete(w, 1),
       "but with that");
    is_int(w->last_ns, 9, "the latest end of any event");
}

/* Contributions are counted up to UINT16_MAX. */
static void
test_counts(void)
{
    OWNS(schedule) *s = made_in_place(2, 1, 0, NULL);
    struct run_info info = {.type = DTYPE_INT64, .count = 1};
    OWNS(world) *w = world_new();
    uint64_t *content = content_of(s, 0);
    struct ledger_entry *row = (struct ledger_entry *)content;
    struct err err;

    world_add(w, &(struct item){.type = ITEM_RUN, .run = &info,
                                .schedule = s}, &err);
    row[0].times = row[1].times = 3;
    world_add(w, &(struct item){.type = ITEM_INPUT, .content = content}, &err);
    is_int(world_counts(w, 0)[0], 6, "three of each rank are six");
    row[0].times = row[1].times = UINT16_MAX;
    world_add(w, &(struct item){.type = ITEM_INPUT, .rank = 1,
                                .content = content}, &err);
    is_int(world_counts(w, 1)[0], UINT16_MAX,
           "the count saturates");
    free(content);
}

/* A rank's diary has an event within the rank once; and the last event of a
 * step says what a slot holds after it. */
static void
test_local(void)
{
    OWNS(schedule) *s = made_in_place(2, 1, 0, "0.0+0.0 1.0+0.0");
    OWNS(world) *w = world_new();
    uint64_t *content = content_of(s, 0);
    struct item item = {.type = ITEM_TRANSFER,
                        .event = {.step = 1, .nslots = 1, .op = EVENT_REDUCE,
                                  .waited_for = -1, .content = content}};
    struct err err;

    feed_run(w, s);
    for (int rank = 0; rank < 2; rank++)
        world_add(w, &(struct item){.type = ITEM_INPUT, .rank = rank,
                                    .content = content}, &err);
    content[0] = 7;
    ok(world_add(w, &item, &err), "a transfer within a rank");
    is_int((long long)w->diaries[0].count, 1, "is in its diary once");
    content[0] = 8;
    item.event.src = 1;
    ok(world_add(w, &item, &err), "one from another rank");
    is_int((long long)w->diaries[0].count, 2, "is in the receiver's diary");
    is_int((long long)w->diaries[1].count, 1, "and in the sender's");
    is_int((long long)world_row_at(w, 0, 0, 1)[0], 8,
           "seen from before the step, the last event counts");
    free(content);
}

/* The input of a single rank is not a sum; of many ranks a row has no more than
 * its contributions. */
static void
test_sums(void)
{
    OWNS(schedule) *s = made_in_place(1, 1, 0, NULL);
    OWNS(schedule) *many = made_in_place(LEDGER_RANKS + 1, 1, 0, NULL);
    OWNS(world) *w = world_new(), *large = world_new();
    uint64_t row[LEDGER_WORDS_MAX] = {0};
    int chunk;

    feed_run(w, s);
    ledger_input(row, 1, 0, 0);
    ok(!world_is_sum(w, row, &chunk), "one rank alone has no sums");
    feed_run(large, many);
    ok(world_is_sum(large, large->sums, &chunk) && chunk == 0,
       "the sum of many ranks, of the first chunk");
}

/* The content of a slot with so many elements. */
static uint64_t *
content_of_length(const struct schedule *s, uint64_t length)
{
    uint64_t *content = content_of(s, 1);

    content[ledger_words(s->nranks)] = length;
    return content;
}

/* Two ranks with 3 and 5 elements exchange them: each receives as much as the
 * other sends, although afterwards the other has as much as it received.  Then
 * rank 0 sends its 5, of which 2 arrive. */
static void
test_torn(void)
{
    static const struct {
        int step, src;
        uint64_t length; /* that arrives */
    } events[] = {{1, 0, 3}, {1, 1, 5}, {2, 0, 2}};
    OWNS(schedule) *s = made_in_place(2, 1, 0, "0.0>1.0 1.0>0.0; 0.0>1.0");
    OWNS(world) *w = world_new();
    struct run_info info = {.backend = "test", .type = DTYPE_INT64,
                            .nplaces = 1, .count = 3,
                            .purpose.mismatch = {.kind = MISMATCH_COUNT,
                                                 .rank = 1, .number = 5}};
    struct err err;

    world_add(w, &(struct item){.type = ITEM_RUN, .run = &info,
                                .schedule = s}, &err);
    for (int r = 0; r < 2; r++) {
        uint64_t *content = content_of_length(s, r == 0 ? 3 : 5);
        world_add(w, &(struct item){.type = ITEM_INPUT, .rank = r,
                                    .content = content}, &err);
        free(content);
    }
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        uint64_t *content = content_of_length(s, events[i].length);
        world_add(w, &(struct item){
                         .type = ITEM_TRANSFER,
                         .event = {.step = events[i].step,
                                   .src = events[i].src,
                                   .dst = 1 - events[i].src, .nslots = 1,
                                   .bytes = 8, .content = content}}, &err);
        free(content);
    }
    ok(!world_is_wrong(w, 1, 0, 0) && !world_is_wrong(w, 1, 1, 0),
       "what arrives whole is right, whatever its sender has then");
    ok(world_is_wrong(w, 2, 1, 0), "what was cut is wrong");
}

int
main(void)
{
    test_seek();
    test_append();
    test_slices();
    test_counts();
    test_local();
    test_sums();
    test_torn();
    return done_testing();
}
