/* SPDX-License-Identifier: MIT */
/* A run as text: sentences, results, names, times. */
#include "chunks.h"
#include "model/holdup.h"
#include "ring_world.h"
#include "tap.h"
#include "text/bench_table.h"
#include "text/sum.h"
#include "text/text.h"
#include "text/trace.h"
#include "text/word.h"
#include "text/words.h"

static void
check_name(const struct world *w, const uint64_t *row, const char *expected,
           const char *what)
{
    struct buf text = {0};

    sum_name(w, row, &text);
    is_str(buf_text(&text), expected, "%s", what);
    buf_done(&text);
}

/* Sets a row to the sum of a chunk of the ranks whose bits are set. */
static void
sum_of_ranks(uint64_t row[LEDGER_WORDS_MAX], int nranks, unsigned ranks,
             int chunk)
{
    memset(row, 0, LEDGER_WORDS_MAX * sizeof *row);
    for (int rank = 0; rank < nranks; rank++)
        if (ranks >> rank & 1)
            ledger_input(row, nranks, rank, chunk);
}

/* One spelling, which does not depend on the room. */
static void
test_names(void)
{
    struct world *w = ring_world(8, 14);
    uint64_t row[LEDGER_WORDS_MAX];

    sum_of_ranks(row, 8, 0x01, 3);
    check_name(w, row, "A3", "a contribution");
    sum_of_ranks(row, 8, 0x0f, 3);
    check_name(w, row, "A3+B3+C3+D3", "up to four are spelled out");
    sum_of_ranks(row, 8, 0xf1, 3);
    check_name(w, row, "AEFGH 3", "more are letters and the chunk");
    sum_of_ranks(row, 8, 0xff, 3);
    check_name(w, row, "S3", "a complete sum");
    sum_of_ranks(row, 8, 0x1f, 3);
    ((struct ledger_entry *)row)[2].times = 2;
    check_name(w, row, "A3+B3+2*C3+D3+E3", "an error is spelled out");
    ((struct ledger_entry *)row)[2].times = 1;
    ((struct ledger_entry *)row)[1].chunk = LEDGER_MIXED;
    check_name(w, row, "A3+B?+C3+D3+E3", "and so is a mix");
    ((struct ledger_entry *)row)[1].chunk = 4;
    check_name(w, row, "A3+B4+C3+D3+E3", "and the sum of several chunks");
    sum_of_ranks(row, 8, 0, 0);
    check_name(w, row, "", "an empty slot has no name");
    world_free(w);
    w = world_of(schedule_new(&(struct schedule_spec){
                     .collective = collective_find("allreduce"),
                     .algorithm = "one", .nranks = 8, .pieces = 1,
                     .in_place = true}),
                 1, RING_LOCKSTEP);
    sum_of_ranks(row, 8, 0x1f, 0);
    check_name(w, row, "ABCDE", "an only chunk goes without saying");
    world_free(w);
    w = ring_world(26, 0);
    sum_of_ranks(row, 26, 0x1f, 3);
    check_name(w, row, "5/26 of chunk 3", "where AB is a rank: no letters");
    world_free(w);
    w = ring_world(16, 0);
    sum_of_ranks(row, 16, 0xfff, 3);
    check_name(w, row, "ABCDEFGHIJKL 3", "up to twelve letters");
    sum_of_ranks(row, 16, 0x1fff, 3);
    check_name(w, row, "13/16 of chunk 3", "then a count");
    world_free(w);
}

/* In a mismatch a rank may send a slot that nobody has written. */
static void
test_empty_slot(void)
{
    struct schedule *p = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "empty",
        .nranks = 3, .pieces = 3, .scratch = 1, .in_place = true});
    struct world *w;
    struct scene s;
    struct buf text = {0};

    schedule_step(p, "exchange");
    schedule_add(p, (struct transfer){.src = 0, .dst = 1, .src_slot = 3,
                                      .dst_slot = 3, .add_slot = 3,
                                      .nslots = 1});
    w = world_of(p, 1, RING_LOCKSTEP);
    s = (struct scene){.world = w};
    words_next(&s, 40, &text);
    is_str(buf_text(&text), "next: GPU 0 sends an empty slot to GPU 1",
           "an empty slot will be sent");
    buf_clear(&text);
    world_seek(w, 1);
    words_now(&s, 40, &text);
    is_str(buf_text(&text), "GPU 0 sent an empty slot to GPU 1.", "and was");
    buf_done(&text);
    world_free(w);
}

/* Two transfers from one rank to the same other rank are one arrow, and one
 * within a rank is none. */
static void
test_company(void)
{
    struct schedule *p = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "pairs",
        .nranks = 4, .pieces = 4, .in_place = true});
    struct world *w;
    struct scene s;
    struct buf text = {0};

    schedule_step(p, "exchange");
    reduce_chunk(p, 0, 1, 0);
    reduce_chunk(p, 0, 1, 2);
    reduce_chunk(p, 3, 2, 1);
    schedule_add(p, (struct transfer){.src = 3, .dst = 3, .src_slot = 0,
                                      .dst_slot = 3, .nslots = 1});
    w = world_of(p, 1, RING_LOCKSTEP);
    s = (struct scene){.world = w};
    world_seek(w, 1);
    words_now(&s, 78, &text);
    is_str(buf_text(&text), "GPU 0 sent A0 to GPU 1, which added it to B0. 2 "
           "transfers at once.", "as many transfers as there are arrows");
    buf_clear(&text);
    words_now(&s, 60, &text);
    is_str(buf_text(&text), "GPU 0 sent A0 to GPU 1, which added it to B0.",
           "nothing is said that does not fit");
    buf_done(&text);
    world_free(w);
}

/* What is said of all ranks: all that fits, in either tense. */
static void
test_all_ranks(void)
{
    static const struct pattern
        ring = {PATTERN_RING, .distance = 1, .group = 8, .slots = 1,
                .reduces = true},
        back = {PATTERN_RING, .distance = -2, .group = 8},
        rows = {PATTERN_RING, .distance = 1, .group = 4, .slots = 2},
        pairs = {PATTERN_RING, .distance = 4, .group = 8, .slots = 4,
                 .reduces = true},
        two = {PATTERN_SOME, .distance = -1, .group = 8, .first = 3,
               .stride = 4, .count = 2, .slots = 1, .reduces = true},
        range = {PATTERN_SOME, .distance = 1, .group = 8, .first = 2,
                 .stride = 1, .count = 3, .slots = 1},
        leaves = {PATTERN_SOME, .distance = 2, .group = 8, .first = 0,
                  .stride = 2, .count = 4, .slots = 1},
        every = {PATTERN_EVERY, .slots = 1},
        to_one = {PATTERN_TO_ONE, .rank = 5, .slots = 1, .reduces = true},
        from_one = {PATTERN_FROM_ONE, .rank = 5, .slots = 3},
        local = {PATTERN_LOCAL, .slots = 3, .reduces = true},
        none = {PATTERN_NONE};
    static const struct {
        const struct pattern *pattern;
        enum redop op;
        bool past;
        int columns;
        const char *expected;
    } cases[] = {
        {&ring, REDOP_SUM, false, 62,
         "Every GPU sends a chunk to the next and adds what it receives."},
        {&ring, REDOP_SUM, false, 61, "Every GPU sends a chunk to the next."},
        {&ring, REDOP_SUM, true, 34, "Each sent to the next."},
        {&ring, REDOP_SUM, true, 21, ""},
        {&ring, REDOP_MAX, true, 99, "Every GPU sent a chunk to the next."},
        {&back, REDOP_SUM, false, 99,
         "Every GPU sends data to the one 2 behind."},
        {&rows, REDOP_SUM, false, 99,
         "Every GPU sends 2 chunks to the next in its group of 4."},
        {&pairs, REDOP_AVG, true, 99,
         "GPUs 4 apart exchanged 4 chunks and added what they received."},
        {&pairs, REDOP_SUM, false, 25, "Pairs 4 apart exchange."},
        {&two, REDOP_SUM, false, 99, "GPUs 3 and 7 each send a chunk to the "
         "one before, which adds what it receives."},
        {&range, REDOP_SUM, true, 99,
         "GPUs 2 to 4 each sent a chunk to the next."},
        {&leaves, REDOP_SUM, false, 45,
         "GPUs 0, 2 ... 6 send to the one 2 ahead."},
        {&every, REDOP_SUM, true, 99, "Every GPU sent a chunk to every other."},
        {&to_one, REDOP_SUM, false, 99,
         "All others send a chunk to GPU 5, which adds them up."},
        {&to_one, REDOP_SUM, true, 20, "So did all others."},
        {&from_one, REDOP_SUM, true, 99,
         "It sent 3 chunks to each of the others, too."},
        {&local, REDOP_SUM, true, 99, "Every GPU did so."},
        {&none, REDOP_SUM, true, 99, ""},
    };
    struct buf text = {0};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool said;
        buf_clear(&text);
        said = words_all_ranks(cases[i].pattern, 8, cases[i].op,
                               cases[i].past, cases[i].columns, &text);
        is_str(buf_text(&text), cases[i].expected, "what all ranks do");
        is_int(said, text.length > 0, "or that nothing fits");
    }
    buf_done(&text);
}

/* The words are about the data that is followed. */
static void
test_followed(void)
{
    struct world *w = ring_world(3, 4);
    struct scene s = {.world = w};
    struct trail *t = trail_new(w->schedule, 2, 1, 0);
    struct buf text = {0};

    words_next(&s, 78, &text);
    is_str(buf_text(&text), "next: GPU 0 sends A2 to GPU 1. Every GPU sends "
           "a chunk to the next.", "of GPU 0");
    buf_clear(&text);
    s.trail = t;
    words_next(&s, 78, &text);
    is_str(buf_text(&text), "next: GPU 2 sends C1 to GPU 0. Every GPU sends "
           "a chunk to the next.", "of C1");
    buf_clear(&text);
    world_seek(w, 2);
    words_now(&s, 78, &text);
    is_str(buf_text(&text), "GPU 0 sent A1+C1 to GPU 1, which added it to B1. "
           "Each sent to the next.", "where it was added");
    buf_done(&text);
    trail_free(t);
    world_free(w);
}

static void
test_reading(void)
{
    static const struct {
        const char *text;
        int ms;
    } texts[] = {
        {"", 0},
        {"GPU 0 sends A2 to GPU 1.", 7 * 250},
        {"  two   words ", 2 * 250},
        {"\345\217\221\351\200\201", 2 * 250}, /* two Chinese characters */
        {"GPU 0 \345\217\221\351\200\201 A2", 5 * 250},
        {"GPU\345\217\221x", 3 * 250},
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        is_int((int)(text_reading_ns(texts[i].text) / 1000000), texts[i].ms,
               "how long it takes to read");
}

static void
test_times(void)
{
    static const struct {
        int64_t ns;
        const char *text, *brief;
    } times[] = {
        {0, "0 ns", "0 ns"},
        {999, "999 ns", "999 ns"},
        {1000, "1.00 us", "1 us"},
        {9996, "10.0 us", "10 us"},
        {99960, "100 us", "100 us"},
        {999600, "1.00 ms", "1 ms"},
        {INT64_C(12345678901), "12.3 s", "12 s"},
    };

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        is_str(word_ns(times[i].ns, false).text, times[i].text, "a time");
        is_str(word_ns(times[i].ns, true).text, times[i].brief, "in brief");
    }
}

/* Checks that the result as text contains `part`. */
static void
check_result(struct world *w, const char *part, const char *what)
{
    struct buf text = {0};

    text_result(w, &text);
    ok(strstr(buf_text(&text), part) != NULL, "%s", what);
    buf_done(&text);
}

/* Whether ranks 0 and 2 are on one host, and rank 1 on another. */
static bool
only_rank_1_is_away(struct world *w)
{
    struct buf step = {0};
    bool so;

    text_step(w, 1, true, &step);
    so = strstr(buf_text(&step), "GPU0 ~>(") != NULL &&
         strstr(buf_text(&step), "GPU2 =>(") != NULL;
    buf_done(&step);
    return so;
}

static void
test_devices(void)
{
    struct world *w = ring_world(3, 4);

    ring_world_on_gpus(w);
    check_result(w,
                 "\n  ranks 0-1: NVIDIA H200 0000:1b:00.0, read by peer access"
                 "\n  rank 2: NVIDIA H200 0000:3d:00.0, read through host "
                 "memory\n", "the text says which rank is where");
    ring_world_on_hosts(w);
    check_result(w, "\n  ranks 0, 2: cv1\n  rank 1: cv2\n",
                 "also where they are not in a row");
    ok(only_rank_1_is_away(w), "and what leaves a host");
    ring_world_on_hosts_gpus(w);
    ok(only_rank_1_is_away(w), "two GPUs of a host are not two hosts");
    world_free(w);
}

/* The result of NCCL's own collective: on the screen it takes one line of 78
 * columns. */
static void
check_native(struct world *w, const struct scene *s)
{
    struct buf text = {0};

    w->result.wall_ns = 20000;
    w->result.native = (struct run_native){
        "ncclAllReduce", "RING, SIMPLE, 1 channel", 9690, 0, 0, 0};
    words_next(s, 78, &text);
    is_str(buf_text(&text), "ncclAllReduce agrees, in 9.69 us (RING, "
           "SIMPLE, 1 channel)", "NCCL's own result is on the same line");
    check_result(w, "\n  ncclAllReduce computed the same output, bit for bit\n"
                 "  it took 9.69 us; the run shown here took 20.0 us, because "
                 "it runs step by step and reports every transfer\n"
                 "  it used RING, SIMPLE, 1 channel; its steps cannot be "
                 "shown\n", "and in the text");
    w->result.native.wall_ns = 20001;
    check_result(w, "\n  it took 20.0 us; the run shown here took 20.0 us\n  "
                 "it used", "its time, if it was slower, without a reason");
    w->result.native.wall_ns = 9690;
    w->result.native.inside[0] = '\0';
    w->result.native.differ = 2;
    buf_clear(&text);
    words_next(s, 78, &text);
    is_str(buf_text(&text), "ncclAllReduce rounds differently, in "
           "9.69 us", "NCCL may round differently, in an unknown way");
    check_result(w, "computed the same output, but rounded 2 elements "
                 "differently\n", "and in the text");
    check_result(w, "\n  the steps of ncclAllReduce cannot be shown\n",
                 "or in an unknown way");
    w->result.native.wrong = 1;
    check_result(w, "\n  ! ncclAllReduce computed 1 WRONG element\n",
                 "NCCL may be wrong");
    snprintf(w->result.first_wrong, RUN_WRONG_MAX, "ncclAllReduce: rank 0");
    check_result(w, "\n  ! ncclAllReduce: rank 0\n", "and where");
    check_result(w, "\n  correct: every value", "which does not make us wrong");
    buf_clear(&text);
    is_int(words_next(s, 78, &text), WORDS_WRONG, "the screen calls it wrong");
    is_str(buf_text(&text), "WRONG: ncclAllReduce: rank 0",
           "and has room for what is wrong");
    w->result.first_wrong[0] = '\0';
    w->result.native.wrong = 0;
    w->result.correct = false;
    check_result(w, "\n  ncclAllReduce computed the correct output; this run "
                 "did not\n", "or this run");
    w->result.correct = true;
    buf_done(&text);
}

static void
test_words(void)
{
    struct world *w = ring_world(3, 4);
    struct scene s = {.world = w, .selected = 1};
    struct buf text = {0};

    world_seek(w, 2);
    words_now(&s, 78, &text);
    is_str(buf_text(&text), "GPU 1 sent A2+B2 to GPU 2, which added it to C2. "
           "Each sent to the next.", "the step, with the data before it");
    w->own_run.op = REDOP_BAND;
    buf_clear(&text);
    words_now(&s, 78, &text);
    is_str(buf_text(&text), "GPU 1 sent A2+B2 to GPU 2, which combined it with "
           "C2 (band).", "an operator that has no verb");
    buf_clear(&text);
    words_next(&s, 78, &text);
    is_str(buf_text(&text), "next: GPU 1 sends S1 to GPU 2. Every GPU sends a "
           "chunk to the next.",
           "the next step, with the name that it uses for the data");
    buf_clear(&text);
    world_seek(w, 1);
    words_next(&s, 118, &text);
    is_str(buf_text(&text), "next: GPU 1 sends A2+B2 to GPU 2",
           "nothing about all ranks if they go on as before");
    buf_done(&text);
    world_free(w);
}

/* One step of a schedule that is no collective. */
static struct world *
busy_world(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "busy",
        .nranks = 3, .pieces = 3, .in_place = true});

    schedule_step(s, "busy");
    copy_chunk(s, 1, 0, 2);
    copy_chunk(s, 0, 2, 0);
    copy_chunk(s, 0, 1, 1);
    copy_chunk(s, 2, 1, 0);
    return world_of(s, 1, RING_LOCKSTEP);
}

static void
test_busy_step(void)
{
    struct world *w = busy_world();
    struct scene s = {.world = w, .selected = 2, .target = 1};
    struct world_step *step = &w->steps[1];
    struct buf text = {0};

    text_step(w, 1, false, &text);
    is_str(buf_text(&text), "step 1/1 busy\n"
                            "  GPU0 =>(A1) GPU1\n"
                            "  GPU0 =>(A0) GPU2\n"
                            "  GPU1 =>(B2) GPU0\n"
                            "  GPU2 =>(C0) GPU1\n"
                            "  GPU0 [A0 | A1 | B2]\n"
                            "  GPU1 [C0 | A1 | B2]\n"
                            "  GPU2 [A0 | C1 | C2]\n",
           "transfers are listed by sender, then by receiver");
    s.selected = 1;
    buf_clear(&text);
    words_now(&s, 78, &text);
    is_str(buf_text(&text), "GPU 1 sent B2 to GPU 0. 4 transfers at once.",
           "what the selected rank sends");
    step->events[3].src = step->events[2].src;
    step->events[3].slice = 1;
    step->slots_done--;
    w->has_result = w->has_end = false;
    s.awaited_ns = HOLDUP_NS;
    world_seek(w, 0);
    buf_clear(&text);
    words_next(&s, 78, &text);
    is_str(buf_text(&text), "waiting for GPU 1 or GPU 2",
           "another slice of a transfer is not another transfer");
    buf_done(&text);
    world_free(w);
}

/* The selected rank sends nothing. */
static void
test_receiver(void)
{
    struct schedule *schedule = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "chain",
        .nranks = 3, .pieces = 1, .in_place = true});
    struct scene s = {.selected = 2};
    struct buf text = {0};
    struct world *w;

    schedule_step(schedule, "on");
    copy_chunk(schedule, 0, 1, 0);
    copy_chunk(schedule, 1, 2, 0);
    s.world = w = world_of(schedule, 1, RING_LOCKSTEP);
    world_seek(w, 1);
    words_now(&s, 78, &text);
    is_str(buf_text(&text), "GPU 1 sent B0 to GPU 2. GPUs 0 and 1 each sent a "
           "chunk to the next.", "what the selected rank receives");
    buf_done(&text);
    world_free(w);
}

/* What a copy replaces is named only if it was still needed: two ranks swap
 * chunk 0, while nobody needs B1. */
static void
test_replaced(void)
{
    struct schedule *schedule = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "swap",
        .nranks = 2, .pieces = 2, .in_place = true});
    struct scene s = {0};
    struct buf text = {0};
    struct world *w;

    schedule_step(schedule, "swap");
    copy_chunk(schedule, 0, 1, 0);
    copy_chunk(schedule, 1, 0, 0);
    schedule_step(schedule, "on");
    copy_chunk(schedule, 0, 1, 1);
    s.world = w = world_of(schedule, 2, RING_LOCKSTEP);
    world_seek(w, 1);
    words_now(&s, 30, &text);
    is_str(buf_text(&text), "GPU 0 sent A0 to GPU 1, in place of B0.",
           "B0 was needed");
    world_seek(w, 2);
    buf_clear(&text);
    words_now(&s, 30, &text);
    is_str(buf_text(&text), "GPU 0 sent A1 to GPU 1.", "B1 was not");
    s.trail = trail_new(schedule, 1, 1, 1);
    buf_clear(&text);
    words_now(&s, 30, &text);
    is_str(buf_text(&text), "GPU 0 sent A1 to GPU 1, in place of B1.",
           "unless it is followed");
    trail_free((struct trail *)s.trail);
    buf_done(&text);
    world_free(w);
}

/* Adds slice 1 of a transfer whose slice 0 the world has. */
static void
add_slice(struct world *w, int step, int64_t begin_ns)
{
    struct item item = {.type = ITEM_TRANSFER,
                        .event = w->steps[step].events[0]};
    struct err err;

    item.event.slice = 1;
    item.event.begin_ns = begin_ns;
    item.event.content = NULL;
    if (!world_add(w, &item, &err))
        diag("%s", err.text);
}

/* A chunk goes from rank 0 to 1 and on to 2, in two slices. */
static void
test_trace(void)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "chain",
        .nranks = 3, .pieces = 1, .in_place = true});
    struct buf text = {0};
    struct trace *t;
    struct world *w;

    for (int src = 0; src < 3; src++) {
        schedule_step(s, "on");
        copy_chunk(s, src, (src + 1) % 3, 0);
    }
    w = world_of(s, 2, RING_LOCKSTEP);
    add_slice(w, 1, 1000005000);
    add_slice(w, 2, 2000005000);
    w->steps[1].events[0].waited_for = 2;
    w->steps[1].events[0].wait_ns = INT64_C(9000000000);
    t = trace_new(w);
    trace_step(t, 1, &text);
    ok(strstr(buf_text(&text), "\"ts\":0.000,\"id\":1}") != NULL,
       "the arrow to a first transfer begins at the input");
    ok(strstr(buf_text(&text), "\"ts\":0.000,\"dur\":1000001.000") != NULL,
       "no wait began before the run did");
    trace_step(t, 2, &text);
    ok(strstr(buf_text(&text), "\"ts\":1000001.000,\"id\":3}") != NULL,
       "an arrow begins at the event that wrote the data");
    ok(strstr(buf_text(&text), "\"ts\":1000005.000,\"id\":4}") != NULL,
       "in the same slice");
    trace_free(t);
    buf_done(&text);
    world_free(w);
}

static void
check_next(const struct scene *s, const char *expected, const char *what)
{
    struct buf text = {0};

    words_next(s, 78, &text);
    is_str(buf_text(&text), expected, "%s", what);
    buf_done(&text);
}

static void
test_late(void)
{
    struct world *w = ring_world(4, 1);
    struct scene s = {.world = w, .selected = 1, .target = 4};

    ring_world_lose(w, 1, 2);
    check_next(&s, "", "nobody is blamed for a moment's delay");
    s.awaited_ns = HOLDUP_NS;
    check_next(&s, "waiting for GPU 1 or GPU 2",
               "on the way to a step, either end of what is missing");
    ring_world_lose(w, 1, 3);
    check_next(&s, "waiting for GPU 2", "or the one that has done nothing");
    strcpy(w->own_run.delay, "12=inf 2=infinite 2=200");
    check_next(&s, "waiting for GPU 2", "which will come");
    strcpy(w->own_run.delay, "1=200 2=inf");
    check_next(&s, "GPU 2 holds up 3 others, for ever (--delay 2=inf)",
               "or never will");
    w->own_run.delay[0] = '\0';
    ring_world_lose(w, 1, 1);
    check_next(&s, "waiting for GPU 1 or GPU 2", "or those that have not");
    ring_world_lose(w, 1, 0);
    check_next(&s, "waiting for GPU 0 and 3 more",
               "if nothing is known, any of them");
    w->has_end = true;
    check_next(&s, "the run was stopped here", "or none, at the end");
    world_free(w);
    s.world = w = ring_world(4, 1);
    check_next(&s, "", "or none, if the step is complete");
    world_free(w);

    w = ring_world(8, 1);
    s = (struct scene){.world = w, .target = 14, .awaited_ns = HOLDUP_NS};
    for (int rank = 2; rank < 8; rank += 4) {
        ring_world_lose(w, 1, rank);
        ring_world_lose(w, 1, rank + 1);
    }
    check_next(&s, "waiting for GPU 2 and GPU 6",
               "two that have nothing to do with each other are both late");
    world_free(w);
}

/* Two ranks that exchange data, and more ranks than anybody looks at. */
static void
test_late_of_several(void)
{
    struct schedule *p = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "swap",
        .nranks = 4, .pieces = 4, .in_place = true});
    struct scene s = {.target = 2, .awaited_ns = HOLDUP_NS};
    struct world *w;

    schedule_step(p, "exchange");
    for (int rank = 0; rank < 4; rank++)
        reduce_chunk(p, rank, rank ^ 1, 0);
    schedule_step(p, "exchange");
    reduce_chunk(p, 0, 1, 0);
    s.world = w = world_of(p, 1, RING_LOCKSTEP);
    ring_world_lose(w, 1, 2);
    ring_world_lose(w, 1, 3);
    check_next(&s, "waiting for GPU 2 or GPU 3",
               "of two that exchange data, either may be late");
    world_free(w);
    s.world = w = ring_world(HOLDUP_RANKS_MOST + 1, 1);
    ring_world_lose(w, 1, 2);
    ring_world_lose(w, 1, 3);
    check_next(&s, "waiting for 2 chunks", "of many ranks, only how much");
    s.awaited_ns = HOLDUP_NS - 1;
    check_next(&s, "", "but not for a moment's delay");
    world_free(w);
}

static void
test_verdict(void)
{
    struct world *w = ring_world(3, 4);
    struct scene s = {.world = w};
    struct buf text = {0};
    enum words_tone tone;

    world_seek(w, 4);
    tone = words_next(&s, 78, &text);
    ok(tone == WORDS_CORRECT &&
           strncmp(buf_text(&text), "every element", 13) == 0,
       "the verdict at the end");
    check_native(w, &s);
    w->result.native.name[0] = '\0';
    w->result.correct = false;
    strcpy(w->result.first_wrong, "rank 1, chunk 0");
    buf_clear(&text);
    tone = words_next(&s, 78, &text);
    ok(tone == WORDS_WRONG, "a wrong result is a warning");
    is_str(buf_text(&text), "WRONG: rank 1, chunk 0", "that says where");
    strcpy(w->result.first_wrong,
           "rank 1, chunk 0, element 2: expected -nan, found 1e+30");
    check_next(&s, "WRONG: GPU 1, chunk 0, element 2: expected -nan, found "
               "1e+30", "in the words of the screen");
    strcat(w->result.first_wrong, "; 2 more");
    check_next(&s, "WRONG: rank 1, chunk 0, element 2: expected -nan, found "
               "1e+30; 2 more", "if nothing else is said");
    world_free(w);

    s.world = w = world_with(ring_schedule(3), 4, RING_LOCKSTEP,
                             (struct fault){FAULT_DROP, 2, 1});
    world_seek(w, 4);
    check_next(&s, "WRONG: dropped in step 2 from GPU 1 to GPU 2; some slot",
               "after the step and the link of a fault");
    buf_done(&text);
    world_free(w);
}

/* nccl-tests' columns, in 80. */
static void
test_narrow(void)
{
    const struct bench_row rows[] = {
        {.bytes = 32, .count = 8, .redop = "sum", .root = -1,
         .out = {true, 0.0726, 0.4408, 0.6612, 0},
         .in = {true, 1234.5678, 1e-7, 0, 3}},
        {.bytes = 524288, .count = 131072, .redop = "sum", .root = -1,
         .out = {true, 1234567, 100.126, 1e6, 131072},
         .in = {true, 92.4, 5.67, 8.51, BENCH_NOT_CHECKED}},
    };
    const struct bench_row unchecked = {
        .bytes = 8, .count = 1, .type = DTYPE_FLOAT64, .redop = "none",
        .root = 3, .out = {true, 1, 2, 3, BENCH_NOT_CHECKED},
        .in = {true, 1, 2, 3, BENCH_NOT_CHECKED}};
    const struct bench_part parts[] = {{"ring-allreduce", rows, 2},
                                       {"chain-broadcast", &unchecked, 1}};
    const char *expected =
        "# 本机实测                            out-of-plac"
        "e               in-place        \n"
        "# size  count   type redop root  time algbw b"
        "usbw #wrong  time algbw busbw #wrong\n"
        "#  (B)                           (us)(GB/s)(G"
        "B/s)         (us)(GB/s)(GB/s)       \n"
        "# ring-allreduce, Avg bus bandwidth: 2.5e+05,"
        " #wrong: 2 FAILED                   \n"
        "    32      8  float   sum   -1  0.07  0.44  "
        "0.66      0  1235  0.00  0.00      3\n"
        "524288 131072  float   sum   -1 1e+06 100.1 1"
        "e+06 131072 92.40  5.67  8.51    N/A\n"
        "# chain-broadcast, Avg bus bandwidth: 3, #wro"
        "ng: N/A                             \n"
        "     8      1 double  none    3  1.00  2.00  "
        "3.00    N/A  1.00  2.00  3.00    N/A";
    struct buf text = {0};

    const struct bench_part long_name = {
        "an-algorithm-of-a-long-name-allreduce", rows, 1};

    bench_narrow("本机实测", parts, 2, &text);
    is_int(bench_narrow_columns(parts, 2), 81, "its columns");
    is_str(buf_text(&text), expected, "a table in nccl-tests' columns");
    is_int(bench_narrow_columns(&long_name, 1), 87, "and of a long name");
    buf_clear(&text);
    bench_narrow("t", &long_name, 1, &text);
    is_int((int)strcspn(buf_text(&text), "\n"), 87, "its lines are as long");
    buf_done(&text);
}

int
main(void)
{
    test_narrow();
    test_names();
    test_empty_slot();
    test_company();
    test_all_ranks();
    test_followed();
    test_reading();
    test_times();
    test_devices();
    test_words();
    test_busy_step();
    test_receiver();
    test_replaced();
    test_trace();
    test_late();
    test_late_of_several();
    test_verdict();
    return done_testing();
}
