/* SPDX-License-Identifier: MIT */
/* A run in words: sentences, results, names, times. */
#include "ring_world.h"
#include "tap.h"
#include "text/sum_name.h"
#include "text/text.h"
#include "text/words.h"

static void
test_short_labels(void)
{
    struct world *w = ring_world(8, 14);
    const uint64_t *row = world_row(w, 0, 2);
    struct buf text = {0};

    world_seek(w, 5);
    sum_name(w, row, 6, &text);
    is_str(buf_text(&text), "D-A2", "a run of ranks, over the end of the ring");
    buf_clear(&text);
    sum_name(w, row, 8, &text);
    is_str(buf_text(&text), "ADEFGH2", "letters where they fit");
    buf_done(&text);
    world_free(w);
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
    struct buf text = {0};

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        text_ns(times[i].ns, false, &text);
        is_str(buf_text(&text), times[i].text, "a time");
        buf_clear(&text);
        text_ns(times[i].ns, true, &text);
        is_str(buf_text(&text), times[i].brief, "in brief");
        buf_clear(&text);
    }
    buf_done(&text);
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

static void
test_devices(void)
{
    struct world *w = ring_world(3, 4);
    struct buf step = {0};

    ring_world_on_gpus(w);
    check_result(w,
                 "\n  ranks 0-1: NVIDIA H200 0000:1b:00.0, read by peer access"
                 "\n  rank 2: NVIDIA H200 0000:3d:00.0, read through host "
                 "memory\n", "the text says which rank is where");
    ring_world_on_hosts(w);
    check_result(w, "\n  ranks 0, 2: cv1\n  rank 1: cv2\n",
                 "also where they are not in a row");
    text_step(w, 1, true, &step);
    ok(strstr(buf_text(&step), "GPU0 ~>(") != NULL &&
           strstr(buf_text(&step), "GPU2 =>(") != NULL,
       "and what leaves a host");
    buf_done(&step);
    world_free(w);
}

/* The result of NCCL's own collective: on the screen it takes one line of 78
 * columns. */
static void
check_native(struct world *w, const struct scene *s)
{
    struct buf text = {0};
    bool wrong;

    w->result.wall_ns = 20000;
    w->result.native = (struct run_native){
        "ncclAllReduce", "RING, SIMPLE, 1 channel", 9690, 0, 0};
    words_next(s, &text, &wrong);
    is_str(buf_text(&text), "Correct; ncclAllReduce agrees, in 9.69 us (RING, "
           "SIMPLE, 1 channel)", "NCCL's own result is on the same line");
    check_result(w, "\n  ncclAllReduce computed the same output, bit for bit\n"
                 "  it took 9.69 us; the run shown here took 20.0 us, because "
                 "it runs step by step and reports every transfer\n"
                 "  NCCL chose RING, SIMPLE, 1 channel; its steps cannot be "
                 "shown\n", "and in the text");
    w->result.native.inside[0] = '\0';
    w->result.native.differ = 2;
    buf_clear(&text);
    words_next(s, &text, &wrong);
    is_str(buf_text(&text), "Correct; ncclAllReduce rounds differently, in "
           "9.69 us", "NCCL may round differently, in an unknown way");
    check_result(w, "computed the same output, but rounded 2 elements "
                 "differently\n", "and in the text");
    check_result(w, "\n  NCCL's steps cannot be shown\n", "in an unknown way");
    w->result.native.wrong = 1;
    check_result(w, "\n  ! ncclAllReduce computed 1 WRONG element\n",
                 "NCCL may be wrong");
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
    bool wrong;

    world_seek(w, 2);
    words_now(&s, &text);
    is_str(buf_text(&text), "GPU 1 sent A2+B2 to GPU 2, which added it to C2. "
           "3 transfers at once.", "the step, with the data before it");
    buf_clear(&text);
    words_next(&s, &text, &wrong);
    is_str(buf_text(&text), "next: GPU 1 sends S1 to GPU 2",
           "the next step, with the name that it uses for the data");
    buf_done(&text);
    world_free(w);
}

static void
test_late(void)
{
    struct world *w = ring_world(3, 1);
    struct scene s = {.world = w, .selected = 1, .target = 4};
    struct buf text = {0};
    bool wrong;

    w->has_result = w->has_end = false;
    w->steps[1].count--;
    words_next(&s, &text, &wrong);
    is_str(buf_text(&text), "waiting for GPU 0",
           "on the way to a step, the rank that is late");
    w->steps[1].count++;
    buf_clear(&text);
    words_next(&s, &text, &wrong);
    is_str(buf_text(&text), "", "or none");
    buf_done(&text);
    world_free(w);
}

static void
test_verdict(void)
{
    struct world *w = ring_world(3, 4);
    struct scene s = {.world = w};
    struct buf text = {0};
    bool wrong;

    world_seek(w, 4);
    words_next(&s, &text, &wrong);
    ok(!wrong && strncmp(buf_text(&text), "Correct", 7) == 0,
       "the verdict at the end");
    check_native(w, &s);
    w->result.native.name[0] = '\0';
    w->result.correct = false;
    strcpy(w->result.first_wrong, "rank 1, chunk 0");
    buf_clear(&text);
    words_next(&s, &text, &wrong);
    ok(wrong, "a wrong result is a warning");
    is_str(buf_text(&text), "WRONG: rank 1, chunk 0", "that says where");
    buf_done(&text);
    world_free(w);
}

int
main(void)
{
    test_short_labels();
    test_times();
    test_devices();
    test_words();
    test_late();
    test_verdict();
    return done_testing();
}
