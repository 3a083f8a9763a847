/* SPDX-License-Identifier: MIT */
/* Questions of lessons: second tries, hints, and which answer counts.  What was
 * missed comes back in tests/screens/review.screen. */
#include "tutor_run.h"

static void
are_answers(json_t *answers, const char *want)
{
    char *text = json_dumps(answers, JSON_COMPACT);

    is_str(text, want, "what is kept of it");
    free(text);
    json_decref(answers);
}

/* A known mistake is explained, and the question asked once more. */
static void
test_second_try(void)
{
    OWNS(tutor) *t = open_lines(ASKS("8", "?") ASKS("8", "!") ASKS("8", "3")
                                 ASKS("8", "4") ASKS("8", "5"));

    play_on(t);
    ok(seen(t)->state == TUTOR_ASKS && seen(t)->question.objection == NULL,
       "a question");
    answer(t, 7, 0);
    ok(seen(t)->state == TUTOR_ASKS, "a known mistake: once more");
    is_str(seen(t)->question.objection, "seven is wrong", "with its line");
    are_answers(tutor_answered(t), "[{\"first\":7,\"last\":null,\"hints\":0}]");
    answer(t, 8, 0);
    ok(seen(t)->page.kind == PAGE_RIGHT, "right at the second try");
    is_str(seen(t)->page.text, "Right at the second try: 8\nso", "it says so");
    is_int(seen(t)->record.right, 0, "but the first counts");
    go_on(t);
    ok(seen(t)->question.objection == NULL, "the next question begins anew");
    answer(t, 5, 0);
    answer(t, 7, 0);
    ok(seen(t)->page.kind == PAGE_WRONG, "there is no third try");
    is_str(seen(t)->page.text, "You said: 7. It is: 8\nseven is wrong\nso",
           "the last is compared, with its line");
    go_on(t);
    answer(t, 6, 0);
    ok(seen(t)->state == TUTOR_ASKS,
       "a mistake that nobody foresaw: once more");
    is_str(seen(t)->question.objection, "It is more than that.",
           "with what there is to say");
    answer(t, 9, 0);
    ok(seen(t)->page.kind == PAGE_WRONG, "there is no third try then either");
    go_on(t);
    answer(t, 8, 1);
    ok(seen(t)->page.kind == PAGE_RIGHT && seen(t)->record.right == 0,
       "right after a hint is right, but does not count");
    go_on(t);
    answer(t, 8, 0);
    is_int(seen(t)->record.right, 1, "right at once counts");
    are_answers(tutor_answered(t),
                "[{\"first\":7,\"last\":8,\"hints\":0},"
                "{\"first\":5,\"last\":7,\"hints\":0},"
                "{\"first\":6,\"last\":9,\"hints\":0},"
                "{\"first\":8,\"last\":8,\"hints\":1},8]");
}

/* Who goes back and answers again is still judged by the first answer. */
static void
test_back_again(void)
{
    json_t *earlier = json_loads("[6,{\"first\":8,\"last\":8,\"hints\":1}]",
                                 0, NULL);
    struct tutor *t = open_after(ASKS("8", "?") ASKS("8", "!"), 0, earlier);

    play_on(t);
    are_answers(tutor_answered(t), "[6,{\"first\":8,\"last\":8,\"hints\":1}]");
    answer(t, 8, 0);
    ok(seen(t)->page.kind == PAGE_RIGHT && seen(t)->record.right == 0,
       "the first was wrong");
    go_on(t);
    answer(t, 8, 0);
    ok(seen(t)->page.kind == PAGE_RIGHT && seen(t)->record.right == 0,
       "the hint was seen");
    are_answers(tutor_answered(t),
                "[{\"first\":6,\"last\":8,\"hints\":0},"
                "{\"first\":8,\"last\":8,\"hints\":1}]");
    tutor_close(t);

    t = open_after(ASKS("8", "?") "say '.'\n" ASKS("8", "!"), 3, earlier);
    play_on(t);
    ok(seen(t)->state == TUTOR_ASKS && seen(t)->record.predicted == 1 &&
           seen(t)->record.right == 0, "what was answered is not asked again");
    tutor_close(t);
    json_decref(earlier);
}

/* If a lesson has changed since it was left, an answer may be to a question of
 * another kind: it counts as none, and the others stay where they are. */
static void
test_changed_lesson(void)
{
    const char *lines = "local a = ask { '?', kind = 'number' }\nsay(type(a))\n"
                        ASKS("8", "?") ASKS("8", "!") ASKS("8", ".");
    json_t *earlier = json_loads("[\"foo\",{\"first\":[1],\"last\":8,"
                                 "\"hints\":1},8,{\"first\":8,\"last\":{},"
                                 "\"hints\":1}]", 0, NULL);
    struct tutor *t = open_after(lines, 1, earlier);

    play_on(t);
    is_str(seen(t)->page.text, "nil", "the script gets no text for a number");
    go_on(t);
    are_answers(tutor_answered(t),
                "[null,{\"first\":[1],\"last\":8,\"hints\":1},8,"
                "{\"first\":8,\"last\":{},\"hints\":1}]");
    answer(t, 8, 0);
    is_int(seen(t)->record.right, 1,
           "what does not fit is not the first answer");
    go_on(t);
    answer(t, 6, 0);
    answer(t, 6, 0);
    is_int(seen(t)->record.right, 2, "what fits is");
    go_on(t);
    answer(t, 8, 0);
    is_int(seen(t)->record.right, 3,
           "a second answer that does not fit is no attempt");
    are_answers(tutor_answered(t),
                "[null,8,{\"first\":8,\"last\":6,\"hints\":0},8]");
    tutor_close(t);

    t = open_after(lines, 3, earlier);
    play_on(t);
    is_str(seen(t)->page.text, "It is: 8\nso",
           "nor does a page say what was meant");
    tutor_close(t);
    json_decref(earlier);
}

/* A hint counts even if the learner goes back before the first answer, and asks
 * for fewer hints when the question comes up again. */
static void
test_hint_and_back(void)
{
    const char *lines = "say '.'\n" ASKS("8", "?") ASKS("8", "!");
    struct tutor *t = open_lines(lines);
    json_t *kept;

    play_on(t);
    go_on(t);
    are_answers(tutor_answered(t), "[]");
    tutor_hinted(t, 1);
    kept = tutor_answered(t);
    are_answers(json_incref(kept), "[{\"hints\":1}]");
    tutor_close(t);

    t = open_after(lines, 0, kept);
    play_on(t);
    are_answers(tutor_answered(t), "[{\"hints\":1}]");
    go_on(t);
    answer(t, 8, 0);
    is_int(seen(t)->record.right, 0, "right, but not without a hint");
    go_on(t);
    answer(t, 8, 0);
    is_int(seen(t)->record.right, 1, "the next question has had none");
    are_answers(tutor_answered(t),
                "[{\"first\":8,\"last\":8,\"hints\":1},8]");
    tutor_close(t);
    json_decref(kept);
}

#define AGAIN(question)                                                        \
    "predict { '" question "', kind = 'number', answer = function() return 1 " \
    "end,\n again = function(round) return { 'round ' .. round, kind = "       \
    "'number',\n answer = function() return 10 * round end } end }\n"

/* Gives an answer, as JSON, and compares what is said against it. */
static void
is_objected(const char *question, const char *given, const char *want)
{
    struct err err;
    OWN(buf) lines = {0};
    struct tutor *t;
    int before;

    buf_addf(&lines, "local r = run 'ring-allreduce --gpus 4 --count 8'\n"
                     "r:step()\npredict { '?', %s }\n", question);
    t = open_lines(buf_text(&lines));
    play_on(t);
    before = tutor_world(t)->position;
    tutor_answer(t, json_loads(given, JSON_DECODE_ANY, NULL), &err);
    is_str(seen(t)->state == TUTOR_ASKS ? seen(t)->question.objection
                                        : seen(t)->page.text,
           want, "%s: %s", question, given);
    is_int(tutor_world(t)->position, before, "and the run has not moved");
    tutor_close(t);
}

/* Why an answer is wrong that nobody foresaw: what it is in the run, which is
 * known before it has gone on for the learner to see. */
static void
test_reasons(void)
{
    const char *steps = "kind = 'number', answer = function() r:finish() "
                        "return r.steps end";
    const char *sent = "kind = 'number', answer = function() r:finish() "
                       "return r:sent(0) end";
    const char *label = "kind = 'label', at = { 1, 0 }, answer = function() "
                        "r:step() return r:holds(1, 0) end";
    const char *rank = "kind = 'rank', answer = function() r:go(3) "
                       "return 2 end";
    const char *fewer = "kind = 'rank', answer = function() "
                        "run 'ring-allreduce --gpus 2' return 1 end";
    const char *told = "kind = 'number', answer = function() return 4 end,"
                       "reason = function(a, b) return 'of '..a..' and '..b "
                       "end";
    const char *order = "items = { 'x', 'y', 'z' }, answer = function() "
                        "return { 2, 1, 3 } end";

    is_objected(steps, "4", "That is N, the number of GPUs.");
    is_objected(steps, "7", "It is less than that.");
    is_objected(steps, "8", "It is less than that."); /* 2N, or the elements */
    is_objected(steps, "3", "That is how many steps reduce-scatter has.");
    is_objected(steps, "5", "That is N+1, one more than there are GPUs.");
    is_objected(steps, "1000", "It is less than that.");
    is_objected(steps, "0", "It is more than that.");
    is_objected(sent, "32", "That is S, the bytes of a GPU's data.");
    is_objected(sent, "192",
                "So many bytes all GPUs together send in the whole run.");
    is_objected(sent, "193", "It is less than that.");
    is_objected(sent, "8", "It is more than that.");
    is_objected(label, "\"C0+B0\"",
                "Slot 0 of GPU 2 holds that after step 1.");
    is_objected(label, "\"C0+D0\"",
                "No slot of this run ever holds that.");
    is_objected(label, "\"A1\"", "Slot 1 of GPU 0 holds that at the start.");
    is_objected(label, "\"\"", "No slot is ever empty in this run.");
    is_objected(rank, "0", "In step 3 GPU 0 receives from GPU 3; then it holds "
                           "S0, A1+C1+D1, A2+D2, A3.");
    is_objected(order, "[1,2,3]", "x does not come before y.");
    is_objected(fewer, "3", "The run shows something else.");
    is_objected(told, "7", "of 7 and 4");
}

/* A slot that is asked about is named before others that hold the same, and a
 * phase only where it is not the whole run. */
static void
test_reasons_of_a_chain(void)
{
    static const struct {
        const char *question, *given, *want;
    } asked[] = {
        {"kind = 'label', at = { 2, 1 }, answer = function() r:finish() "
         "return r:holds(2, 1) end", "\"\"", "That is what it holds now."},
        {"kind = 'label', at = { 2, 1 }, answer = function() r:finish() "
         "return r:holds(2, 1) end", "\"A0\"",
         "Slot 0 of GPU 2 holds that after step 2."},
        {"kind = 'number', answer = function() return 99 end", "3",
         "It is more than that."}, /* the steps, or N */
    };

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        OWN(buf) lines = {0};
        struct err err;
        struct tutor *u;
        buf_addf(&lines, "local r = run('chain-broadcast --gpus 3 --chunks 2 "
                         "--count 8')\npredict { '?', %s }\n",
                 asked[i].question);
        u = open_lines(buf_text(&lines));
        play_on(u);
        tutor_answer(u, json_loads(asked[i].given, JSON_DECODE_ANY, NULL),
                     &err);
        is_str(seen(u)->question.objection, asked[i].want, "%s",
               asked[i].question);
        tutor_close(u);
    }
}

/* The look ahead plays the same variant as the learner. */
static void
test_ahead_in_review(void)
{
    static const struct tutor_how how = {.question = 1, .round = 2,
                                         .unwatched = true};
    OWNS(tutor) *t = open_how("say '.'\n" ASKS("8", "?") AGAIN("!"), &how);

    play_on(t);
    answer(t, 30, 0);
    is_str(seen(t)->question.objection, "It is less than that.",
           "judged by its own run");
    answer(t, 20, 0);
    ok(seen(t)->page.kind == PAGE_RIGHT && seen(t)->record.right == 0,
       "the second try is right");
}

/* A key completes the step that moves, another all that follow. */
static void
test_hasten(void)
{
    struct err err;
    OWNS(tutor) *t = open_how("local r = run 'ring-allreduce --gpus 8'\n"
                              "r:finish()\nsay 'one'\nr:go(0)\n"
                              "r:step()\nsay 'two'\n",
                              &(struct tutor_how){0});
    int64_t began;

    while (tutor_advance(t, clock_ns(), &err) &&
           seen(t)->picture.moving_to != 2)
        tutor_wait(t, &err);
    began = clock_ns();
    tutor_hasten(t);
    while (tutor_advance(t, clock_ns(), &err) &&
           seen(t)->picture.moving_to == 2)
        tutor_wait(t, &err);
    is_int(tutor_world(t)->position, 2, "the step is complete");
    tutor_hasten(t);
    play_on(t);
    is_str(seen(t)->page.text, "one", "and so are all that follow");
    ok(clock_ns() - began < 2000000000, "at once");
    began = clock_ns();
    go_on(t);
    is_str(seen(t)->page.text, "two", "the next page");
    ok(clock_ns() - began > 300000000, "is awaited again");
}

/* In a lecture only the pages that are marked are shown, with what moves before
 * them, and each is planned: 13 words at 130 a minute are 6 s, a step 1.6 s. */
static void
test_lecture(void)
{
    static const char script[] =
        "lesson { number = 9, lecture = 2, title = 't', idea = 'i' }\n"
        "say 'Not this.'\n"
        "local r = run 'ring-allreduce --gpus 3'\n"
        "lecture() r:step() say 'a b c d e f g h i j k l m'\n"
        "r:step() " ASKS("8", "not asked")
        "lecture 'spare' " ASKS("8", "a b c d e f g h i j k l m")
        "say 'Nor this.'\nr:finish()\nlecture() say 'Last.'\n";
    OWNS(tutor) *t = open_lecture(script);

    play_on(t);
    ok(seen(t)->pages == 1 && strncmp(seen(t)->page.text, "a b c", 5) == 0,
       "the first page that is marked is the first: %s", seen(t)->page.text);
    is_int(seen(t)->planned_ns / 100000000, 75, "a step and its words");
    go_on(t);
    ok(seen(t)->state == TUTOR_ASKS && seen(t)->pages == 2 &&
           seen(t)->mark == MARK_SPARE &&
           strncmp(seen(t)->question.text, "a b c", 5) == 0,
       "a question, which may be left out");
    is_int(seen(t)->planned_ns / 100000000, 75 + 360, "with 30 s to think");
    answer(t, 8, 0);
    is_int(seen(t)->record.right, 1, "it is judged");
    go_on(t);
    ok(seen(t)->pages == 4 && strcmp(seen(t)->page.text, "Last.") == 0,
       "its answer was a page, and the rest is left out");
    is_int(tutor_world(t)->position, 4, "but what it runs");
    go_on(t);
    ok(seen(t)->state == TUTOR_OVER, "then it is over");
    is_int(seen(t)->record.predicted, 1, "and what was left out was not asked");
    is_int((int)json_array_size(seen(t)->record.missed), 0, "nor missed");
    tutor_close(t);
    t = open_script(script, &unseen);
    play_on(t);
    is_str(seen(t)->page.text, "Not this.", "without --lecture all is shown");
}

/* Some editors begin a file with a byte order mark. */
static void
test_mark(void)
{
    OWNS(tutor) *t = open_script("\xef\xbb\xbf" "lesson { number = 9, title = "
                                 "'t', idea = 'i' } say 'One.'", &unseen);

    play_on(t);
    is_str(seen(t)->page.text, "One.",
           "a mark before the first verb is none of it");
}

int
main(void)
{
    tutor_begin();
    test_mark();
    test_second_try();
    test_back_again();
    test_changed_lesson();
    test_hint_and_back();
    test_reasons();
    test_reasons_of_a_chain();
    test_ahead_in_review();
    test_hasten();
    test_lecture();
    lab_remove();
    return done_testing();
}
