/* SPDX-License-Identifier: MIT */
/* Questions of lessons: second tries, hints, which answer counts, and reviews
 * of what was missed. */
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
    ok(t->state == TUTOR_ASKS && t->objection == NULL, "a question");
    answer(t, 7, 0);
    ok(t->state == TUTOR_ASKS, "a known mistake: once more");
    is_str(t->objection, "seven is wrong", "with its line");
    are_answers(tutor_answered(t), "[{\"first\":7,\"last\":null,\"hints\":0}]");
    answer(t, 8, 0);
    ok(t->page.kind == PAGE_RIGHT, "right at the second try");
    is_str(t->page.text, "Right at the second try: 8\nso", "it says so");
    is_int(t->right, 0, "but the first counts");
    go_on(t);
    ok(t->objection == NULL, "the next question begins anew");
    answer(t, 5, 0);
    answer(t, 7, 0);
    ok(t->page.kind == PAGE_WRONG, "there is no third try");
    is_str(t->page.text, "You said: 7. It is: 8\nso", "the last is compared");
    go_on(t);
    answer(t, 6, 0);
    ok(t->page.kind == PAGE_WRONG, "an unknown mistake: the run answers");
    go_on(t);
    answer(t, 8, 1);
    ok(t->page.kind == PAGE_RIGHT && t->right == 0,
       "right after a hint is right, but does not count");
    go_on(t);
    answer(t, 8, 0);
    is_int(t->right, 1, "right at once counts");
    are_answers(tutor_answered(t),
                "[{\"first\":7,\"last\":8,\"hints\":0},"
                "{\"first\":5,\"last\":7,\"hints\":0},6,"
                "{\"first\":8,\"last\":8,\"hints\":1},8]");
}

/* Who goes back and answers again is still judged by the first answer. */
static void
test_back_again(void)
{
    struct tutor *t = open_lines(ASKS("8", "?") ASKS("8", "!"));
    json_t *earlier = json_loads("[6,{\"first\":8,\"last\":8,\"hints\":1}]",
                                 0, NULL);

    tutor_skip(t, 0, earlier);
    play_on(t);
    are_answers(tutor_answered(t), "[6,{\"first\":8,\"last\":8,\"hints\":1}]");
    answer(t, 8, 0);
    ok(t->page.kind == PAGE_RIGHT && t->right == 0, "the first was wrong");
    go_on(t);
    answer(t, 8, 0);
    ok(t->page.kind == PAGE_RIGHT && t->right == 0, "the hint was seen");
    are_answers(tutor_answered(t),
                "[{\"first\":6,\"last\":8,\"hints\":0},"
                "{\"first\":8,\"last\":8,\"hints\":1}]");
    tutor_close(t);

    t = open_lines(ASKS("8", "?") "say '.'\n" ASKS("8", "!"));
    tutor_skip(t, 3, earlier);
    play_on(t);
    ok(t->state == TUTOR_ASKS && t->predicted == 1 && t->right == 0,
       "what was answered is not asked again");
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
    struct tutor *t = open_lines(lines);

    tutor_skip(t, 1, earlier);
    play_on(t);
    is_str(t->page.text, "nil", "the script gets no text for a number");
    go_on(t);
    are_answers(tutor_answered(t),
                "[null,{\"first\":[1],\"last\":8,\"hints\":1},8,"
                "{\"first\":8,\"last\":{},\"hints\":1}]");
    answer(t, 8, 0);
    is_int(t->right, 1, "what does not fit is not the first answer");
    go_on(t);
    answer(t, 6, 0);
    is_int(t->right, 2, "what fits is");
    go_on(t);
    answer(t, 8, 0);
    is_int(t->right, 3, "a second answer that does not fit is no attempt");
    are_answers(tutor_answered(t),
                "[null,8,{\"first\":8,\"last\":6,\"hints\":0},8]");
    tutor_close(t);

    t = open_lines(lines);
    tutor_skip(t, 3, earlier);
    play_on(t);
    is_str(t->page.text, "It is: 8\nso", "nor does a page say what was meant");
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

    t = open_lines(lines);
    tutor_skip(t, 0, kept);
    play_on(t);
    are_answers(tutor_answered(t), "[{\"hints\":1}]");
    go_on(t);
    answer(t, 8, 0);
    is_int(t->right, 0, "right, but not without a hint");
    go_on(t);
    answer(t, 8, 0);
    is_int(t->right, 1, "the next question has had none");
    are_answers(tutor_answered(t),
                "[{\"first\":8,\"last\":8,\"hints\":1},8]");
    tutor_close(t);
    json_decref(kept);
}

#define AGAIN(question)                                                        \
    "predict { '" question "', kind = 'number', answer = function() return 1 " \
    "end,\n again = function(round) return { 'round ' .. round, kind = "       \
    "'number',\n answer = function() return 10 * round end } end }\n"

/* A review asks one question, in its own way if it has one, and is over. */
static void
test_tutor_review(void)
{
    const char *lines = "say '.'\n" ASKS("8", "?") "say ','\n" AGAIN("!")
                        "say '-'\n";
    struct tutor *t = open_lines(lines);

    tutor_review(t, 1, 2);
    play_on(t);
    ok(t->state == TUTOR_ASKS, "it begins with the question");
    is_str(t->quiz.text, "round 2", "asked for this round");
    answer(t, 20, 0);
    ok(t->page.kind == PAGE_RIGHT, "and answered by it");
    is_int(json_integer_value(json_array_get(t->missed, 1)), 0,
           "it is not missed");
    go_on(t);
    ok(t->state == TUTOR_OVER, "then it is over");
    tutor_close(t);

    t = open_lines(lines);
    tutor_review(t, 0, 3);
    play_on(t);
    is_str(t->quiz.text, "?", "a question that has no other way");
    answer(t, 7, 0);
    answer(t, 8, 0);
    is_int((int)json_array_size(t->missed), 1, "is missed again");
    tutor_close(t);

    t = open_lines(lines);
    tutor_review(t, 2, 1);
    play_on(t);
    ok(t->state == TUTOR_OVER, "a question that is not there");
    tutor_close(t);

    t = open_lines(lines);
    play_on(t);
    go_on(t);
    answer(t, 8, 0);
    go_on(t);
    go_on(t);
    is_str(t->quiz.text, "!", "in the lesson it is asked as it is");
    answer(t, 2, 0);
    is_int(json_integer_value(json_array_get(t->missed, 0)), 1,
           "the second was missed");
    tutor_close(t);
}

/* An author who calls the right answer wrong is told by the run. */
static void
test_wrong_line(void)
{
    struct err err = {""};
    OWNS(tutor) *t = open_lines(ASKS("7", "?"));

    play_on(t);
    tutor_answer(t, NULL, &err);
    while (tutor_advance(t, clock_ns(), &err) && t->state == TUTOR_BUSY)
        turn(t, &err);
    ok(strstr(err.text, "lines.lua:2: the run says 7, but wrong has a line") !=
           NULL, "refused: %s", err.text);
}

int
main(void)
{
    tutor_begin();
    test_second_try();
    test_back_again();
    test_changed_lesson();
    test_hint_and_back();
    test_tutor_review();
    test_wrong_line();
    lab_remove();
    return done_testing();
}
