/* SPDX-License-Identifier: MIT */
/* A run as text: results, names, times, and the sentences that no title of
 * tests/albums/words.txt can ask for. */
#include "base/language.h"
#include "model/holdup.h"
#include "ring_world.h"
#include "schedules.h"
#include "tap.h"
#include "text/bench_table.h"
#include "text/sum.h"
#include "text/text.h"
#include "text/word.h"
#include "text/words.h"

static void
check_name(const struct world *w, const uint64_t *row, const char *expected,
           const char *what)
{
    OWN(buf) text = {0};

    sum_name(w, row, &text);
    is_str(buf_text(&text), expected, "%s", what);
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
    OWNS(world) *w = ring_world(8, 14);
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
    w = world_of(blank_schedule("one", 8, 1), 1, RING_LOCKSTEP);
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
    OWN(buf) text = {0};

    text_result(w, &text);
    ok(strstr(buf_text(&text), part) != NULL, "%s", what);
}

/* Whether ranks 0 and 2 are on one host, and rank 1 on another. */
static bool
only_rank_1_is_away(struct world *w)
{
    OWN(buf) step = {0};
    bool so;

    text_step(w, 1, true, &step);
    so = strstr(buf_text(&step), "GPU0 ~>(") != NULL &&
         strstr(buf_text(&step), "GPU2 =>(") != NULL;
    return so;
}

static void
test_devices(void)
{
    OWNS(world) *w = ring_world(3, 4);

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
}

static void
check_next(const struct scene *s, const char *expected, const char *what)
{
    OWN(buf) text = {0};

    words_next(s, 78, &text);
    is_str(buf_text(&text), expected, "%s", what);
}

/* The result of NCCL's own collective: on the screen it takes one line of 78
 * columns. */
static void
check_native(struct world *w, const struct scene *s)
{
    OWN(buf) text = {0};

    w->result.wall_ns = 20000;
    w->result.native = (struct run_native){
        .name = "ncclAllReduce", .inside = "RING, SIMPLE, 1 channel",
        .wall_ns = 9690};
    check_next(s, "ncclAllReduce agrees, in 9.69 us (RING, SIMPLE, 1 channel)",
               "NCCL's own result is on the same line");
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
    check_next(s, "ncclAllReduce rounds differently, in 9.69 us",
               "NCCL may round differently, in an unknown way");
    check_result(w, "computed the same output, but rounded 2 elements "
                 "differently\n", "and in the text");
    check_result(w, "\n  the steps of ncclAllReduce cannot be shown\n",
                 "or in an unknown way");
    w->result.native.apart.elements = 1;
    strcpy(w->result.native.apart.own, "0");
    strcpy(w->result.native.apart.ours, "nan");
    check_next(s, "ncclAllReduce has 0 where this run has nan",
               "or give something else, which an order may give, too");
    check_result(w, "\n  ncclAllReduce computed 1 element otherwise: 0 on rank "
                 "0, chunk 0, element 0, where this run has nan\n",
                 "and in the text");
    w->result.native.apart.elements = 0;
    w->result.native.wrong = 1;
    check_result(w, "\n  ! ncclAllReduce computed 1 WRONG element\n",
                 "NCCL may be wrong");
    say_wrong(w, "ncclAllReduce: rank 0");
    check_result(w, "\n  ! ncclAllReduce: rank 0\n", "and where");
    check_result(w, "\n  correct: every value", "which does not make us wrong");
    is_int(words_next(s, 78, &text), WORDS_WRONG, "the screen calls it wrong");
    is_str(buf_text(&text), "ncclAllReduce: rank 0",
           "and has room for what is wrong");
    w->result.first_wrong.kind = WRONG_NOTHING;
    w->result.native.wrong = 0;
    w->result.correct = false;
    check_result(w, "\n  ncclAllReduce computed the correct output; this run "
                 "did not\n", "or this run");
    w->result.correct = true;
}

/* Results that are right, and yet not what one expects. */
static void
check_right(struct world *w, const struct scene *s)
{
    w->result.unequal = 1;
    check_next(s, "but GPUs round 1 of 6 elements differently: their orders "
               "differ.", "ranks that differ");
    check_result(w, "\n  correct within rounding; ranks differ in 1 of 6 "
                 "elements: this algorithm adds in another order on each "
                 "rank\n", "and in the text");
    w->result.overflowed = 2;
    check_next(s, "but GPUs round 1 of 6 elements differently; 2 overflowed.",
               "where some overflowed");
    w->result.unequal = 0;
    check_next(s, "2 elements overflowed: they are infinite or NaN.",
               "overflow");
    check_result(w, "\n  2 elements overflowed: they are infinite or NaN, "
                 "though every input is a finite number\n", "in the text, too");
    w->result.overflowed = 0;
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
    struct schedule *s = blank_schedule("chain", 3, 1);
    OWN(buf) text = {0};
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
    trace_write(w, &text, NULL, NULL);
    ok(strstr(buf_text(&text), "\"ts\":0.000,\"id\":1}") != NULL,
       "the arrow to a first transfer begins at the input");
    ok(strstr(buf_text(&text), "\"ts\":0.000,\"dur\":1000001.000") != NULL,
       "no wait began before the run did");
    ok(strstr(buf_text(&text), "\"ts\":1000001.000,\"id\":3}") != NULL,
       "an arrow begins at the event that wrote the data");
    ok(strstr(buf_text(&text), "\"ts\":1000005.000,\"id\":4}") != NULL,
       "in the same slice");
    world_free(w);
}

/* A chunk that comes in two slices is awaited once. */
static void
test_slices(void)
{
    struct schedule *p = blank_schedule("busy", 3, 3);
    struct scene s = {.selected = 1, .target = 1, .awaited_ns = HOLDUP_NS};
    struct world *w;

    schedule_step(p, "busy");
    copy_chunk(p, 1, 0, 2);
    copy_chunk(p, 0, 2, 0);
    copy_chunk(p, 0, 1, 1);
    copy_chunk(p, 2, 1, 0);
    s.world = w = world_of(p, 1, RING_LOCKSTEP);
    w->steps[1].events[3].src = w->steps[1].events[2].src;
    w->steps[1].events[3].slice = 1;
    w->steps[1].slots_done--;
    w->has_result = w->has_end = false;
    check_next(&s, "waiting for GPU 1 or GPU 2",
               "another slice of a transfer is not another transfer");
    world_free(w);
}

static void
test_verdict(void)
{
    OWNS(world) *w = ring_world(3, 4);
    struct scene s = {.world = w};
    OWN(buf) text = {0};

    world_seek(w, 4);
    check_right(w, &s);
    check_native(w, &s);
    w->result.native.name[0] = '\0';
    w->result.correct = false;
    say_wrong(w, "rank 1, chunk 0");
    is_int(words_next(&s, 78, &text), WORDS_WRONG, "a wrong result warns");
    is_str(buf_text(&text), "rank 1, chunk 0", "and says where");
    w->result.first_wrong = (struct wrong){
        WRONG_VALUE, .rank = 1, .element = 2, .expected = "-nan",
        .found = "1e+30"};
    check_next(&s, "GPU 1, chunk 0, element 2: expected -nan, found 1e+30",
               "in the words of the screen");
}

/* What is wrong with a result: in English as --json and the text have it, in
 * the words of the screen, and in Chinese. */
static const struct {
    struct wrong wrong;
    const char *english, *screen, *chinese;
} wrongs[] = {
    {{WRONG_NOTHING}, "", "", ""},
    {{WRONG_VALUE, .rank = 1, .chunk = 2, .element = INT64_C(1) << 40,
      .expected = "-nan", .found = "\033[2J"},
     "rank 1, chunk 2, element 1099511627776: expected -nan, found \033[2J",
     "GPU 1, chunk 2, element 1099511627776: expected -nan, found \\x1b[2J",
     "GPU 1，数据块 2，元素 1099511627776：应为 -nan，得到 \\x1b[2J"},
    {{WRONG_VALUE, "their\nsum", .expected = "3", .found = "4"},
     "their\nsum: rank 0, chunk 0, element 0: expected 3, found 4",
     "their\\x0asum: GPU 0, chunk 0, element 0: expected 3, found 4",
     "their\\x0asum：GPU 0，数据块 0，元素 0：应为 3，得到 4"},
    {{WRONG_UNLIKE, .rank = 2, .chunk = 1, .element = 1, .found = "24.0000019",
      .expected = "24"},
     "rank 2, chunk 1, element 1: found 24.0000019, rank 0 has 24 by the same "
     "additions",
     "GPU 2, chunk 1, element 1: found 24.0000019, GPU 0 has 24 by the same "
     "additions",
     "GPU 2，数据块 1，元素 1：得到 24.0000019，而 GPU 0 以相同的加法得到 24"},
    {{WRONG_SUM, .rank = 1, .chunk = 2, .said = "2*A2+B?"},
     "rank 1, chunk 2: it holds 2*A2+B?", "GPU 1, chunk 2: it holds 2*A2+B?",
     "GPU 1，数据块 2：其内容是 2*A2+B?"},
    {{WRONG_HANGS, .waits = {{WAIT_RECEIVE, 0, 2, 2, 0, 0},
                             {WAIT_SEND, 2, 0, 1, 0, 0}},
      .nwaits = 2, .cycle = true, .others = 1},
     "the run hangs: rank 0 waits for rank 2 (step 2), rank 2 waits until rank "
     "0 receives (step 1): a cycle; 1 more waits",
     "the run hangs: GPU 0 waits for GPU 2 (step 2), GPU 2 waits until GPU "
     "0 receives (step 1): a cycle; 1 more waits",
     "运行卡住：GPU 0 等待 GPU 2（第 2 步）、GPU 2 等待 GPU 0 接收（第 1 "
     "步）：形成环；另有 1 个在等待"},
    {{WRONG_HANGS, .waits = {{WAIT_RECEIVE, 0, 3, 4, 0, 0},
                             {WAIT_RECEIVE, 2, 1, 2, 0, 0},
                             {.kind = WAIT_THROUGH, .rank = 1}},
      .nwaits = 3, .skipped = 1, .others = 2},
     "the run hangs: rank 0 waits for rank 3 (step 4), and so on for 1 more, "
     "rank 2 waits for rank 1 (step 2), rank 1 has finished; 2 more wait",
     "the run hangs: GPU 0 waits for GPU 3 (step 4), and so on for 1 more, "
     "GPU 2 waits for GPU 1 (step 2), GPU 1 has finished; 2 more wait",
     "运行卡住：GPU 0 等待 GPU 3（第 4 步），其间另有 1 个依次等待、GPU 2 等待 GPU "
     "1（第 2 步）、GPU 1 已经结束；另有 2 个在等待"},
    {{WRONG_HANGS, .waits = {{WAIT_RECEIVE, 3, 1, 1, 0, 0},
                             {.kind = WAIT_THROUGH, .rank = 1}}, .nwaits = 2},
     "the run hangs: rank 3 waits for rank 1 (step 1), rank 1 has finished",
     "the run hangs: GPU 3 waits for GPU 1 (step 1), GPU 1 has finished",
     "运行卡住：GPU 3 等待 GPU 1（第 1 步）、GPU 1 已经结束"},
    {{WRONG_STOPS, .waits = {{WAIT_TRUNCATED, 2, 0, 5, 1, 0}}, .nwaits = 1},
     "the run stops: rank 2 stopped at a message of 1 element from rank 0 "
     "where it expects 0 (step 5)",
     "the run stops: GPU 2 stopped at a message of length 1 from GPU 0 where "
     "it expects 0 (step 5)",
     "运行停止：GPU 2 停在 GPU 0 发来的消息：长度 1，应为 0（第 5 步）"},
    {{WRONG_UNRECEIVED, .waits = {{.rank = 1, .peer = 0, .step = 7}}},
     "rank 1 never receives what rank 0 sends it in step 7",
     "GPU 1 never receives what GPU 0 sends it in step 7",
     "GPU 1 从不接收 GPU 0 在第 7 步发给它的消息"},
    {{WRONG_LENGTH, .waits = {{WAIT_NONE, 0, 1, 3, 1, 12}}},
     "rank 0 expects 12 elements in step 3, rank 1 sends 1",
     "GPU 0 expects a message of length 12 in step 3, GPU 1 sends one of "
     "length 1",
     "GPU 0 在第 3 步等待长度为 12 的消息，GPU 1 发来的长度为 1"},
    {{WRONG_SAID, .said = "rank 1\t"}, "rank 1\t", "rank 1\\x09",
     "rank 1\\x09"},
};

static void
test_wrong(void)
{
    OWNS(world) *w = ring_world(4, 6);
    OWN(buf) text = {0};
    struct err err = {.text = ""};

    for (int i = 0; language_at(i) != NULL; i++) {
        language_init(language_at(i), &err);
        for (size_t k = 0; k < sizeof wrongs / sizeof *wrongs; k++) {
            buf_clear(&text);
            words_wrong(w->schedule, &wrongs[k].wrong, &text);
            is_str(buf_text(&text),
                   i == 0 ? wrongs[k].screen : wrongs[k].chinese, "%s, in %s",
                   wrongs[k].screen, language_at(i));
            buf_clear(&text);
            wrong_text(&wrongs[k].wrong, &text);
            is_str(buf_text(&text), wrongs[k].english, "and as a program reads "
                   "it");
        }
    }
}

/* A sentence that older versions can read has less than 256 bytes. */
static void
test_long_wrong(void)
{
    struct wrong wrong = {WRONG_SUM, .rank = 63, .chunk = 1000};
    OWN(buf) text = {0};

    memset(wrong.said, '+', WRONG_TEXT_MAX - 1);
    wrong_text(&wrong, &text);
    is_int((int)text.length, WRONG_TEXT_MAX - 1, "a long sum is cut");
    ok(strncmp(buf_text(&text), "rank 63, chunk 1000: it holds +++", 33) == 0,
       "at its end");
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
    OWN(buf) text = {0};

    const struct bench_part long_name = {
        "an-algorithm-of-a-long-name-allreduce", rows, 1};

    bench_narrow("本机实测", parts, 2, &text);
    is_str(buf_text(&text), expected, "a table in nccl-tests' columns");
    buf_clear(&text);
    bench_narrow("t", &long_name, 1, &text);
    is_int((int)strcspn(buf_text(&text), "\n"), 87, "its lines are as long");
}

int
main(void)
{
    test_narrow();
    test_names();
    test_reading();
    test_times();
    test_devices();
    test_trace();
    test_slices();
    test_verdict();
    test_long_wrong();
    test_wrong(); /* last, as it changes the language */
    return done_testing();
}
