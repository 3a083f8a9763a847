/* SPDX-License-Identifier: MIT */
/* collviz learn on a screen, between lessons: from the end of one to the menu,
 * scores, reviews, and a lesson that cannot be read. */
#include "learn_run.h"
#include "tap.h"

#include <sys/stat.h>

/* Types, and waits until that shows and nothing moves any more: a key that
 * comes too early is for the page before. */
static void
type_in_turn(struct terminal *t, const char *keys)
{
    int64_t until = clock_ns() + (int64_t)TERMINAL_PATIENCE_MS * 1000000;
    struct pollfd p = {.fd = t->fd, .events = POLLIN};
    struct buf before = {0}, now = {0};

    terminal_text(t, &before);
    terminal_type(t, keys);
    while (clock_ns() < until && terminal_read(t, 20) &&
           strcmp(terminal_text(t, &now), buf_text(&before)) == 0)
        ;
    while (poll(&p, 1, 80) > 0 && terminal_read(t, 0))
        ;
    buf_done(&before);
    buf_done(&now);
}

/* While blocks move no key is offered: a key that is typed then may arrive on
 * the next page, unseen. */
static void
wait_for_turn(struct terminal *t)
{
    int64_t until = clock_ns() + (int64_t)TERMINAL_PATIENCE_MS * 1000000;

    while (!terminal_has(t, "Enter ") && clock_ns() < until &&
           terminal_read(t, 20))
        ;
}

/* Whether the help says so.  It has another page if a preview runs, and then
 * stays open. */
static bool
explains(struct terminal *t, const char *text)
{
    terminal_type(t, "?");
    terminal_shows(t, "Esc close");
    while (!terminal_has(t, text) && terminal_has(t, "next page"))
        type_in_turn(t, "?");
    return terminal_has(t, text);
}

/* Enter is enough for a whole lesson, but for choosing, where Tab does. */
static void
test_to_the_end(void)
{
    struct terminal t;
    bool over = false;

    start(&t, 120, 40, "broadcast", NULL);
    terminal_shows(&t, "Enter go on");
    for (int i = 0; i < 200 && !over; i++) {
        type_in_turn(&t, terminal_has(&t, " choose") ? "\t\r" : "\r");
        wait_for_turn(&t);
        over = terminal_has(&t, "This was lesson 2");
    }
    if (!ok(over, "a lesson comes to its end")) {
        struct buf text = {0};
        diag("%s", terminal_text(&t, &text));
        buf_done(&text);
    }
    ok(terminal_shows(&t, "read, but not passed yet"), "which is not enough");
    ok(terminal_shows(&t, "Next: 3  Scatter"), "and offers the next");
    ok(file_has(progress_file(), "\"done\": true"), "it is kept as done");
    ok(file_has(progress_file(), "\"round\": 1"), "what was missed is planned");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "3 \302\267 Scatter"), "which begins");
    terminal_type(&t, "m");
    ok(terminal_shows(&t, " read, "), "m: the menu");
    ok(terminal_shows(&t, "/5"), "with the score");
    ok(terminal_shows(&t, " read, 0 passed"), "read is not passed");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    ok(terminal_whole(&t), "and the terminal is whole");
    terminal_done(&t);
}

static void
test_menu(void)
{
    struct terminal t;

    start(&t, 80, 24, NULL, NULL);
    ok(terminal_shows(&t, "What is a collective?"), "the menu");
    ok(terminal_shows(&t, "day 2") && terminal_shows(&t, "4 min"),
       "with days and minutes");
    ok(terminal_shows(&t, "~  2"), "what is read is marked");
    ok(explains(&t, "a lesson that was begun"), "? explains the marks");
    type_in_turn(&t, "x");
    terminal_type(&t, "\033OHj\r");
    ok(terminal_shows(&t, "2 \302\267 Broadcast"), "Enter begins a lesson");
    terminal_type(&t, "m");
    ok(terminal_shows(&t, "Enter start"), "back in the menu");
    terminal_type(&t, "12");
    ok(terminal_shows(&t, "▶   12  algbw"), "12 chooses lesson 12");
    terminal_type(&t, "3");
    ok(terminal_shows(&t, "▶    3  Scatter"), "3 after it lesson 3");
    terminal_type(&t, "\033OHjrr");
    ok(terminal_shows(&t, "0 of "), "r forgets");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);
}

/* The score of each lesson, and which are passed. */
static void
test_scores(void)
{
    struct terminal t;

    put_file(progress_file(),
             "{\"version\":1,\"lessons\":{\"scatter\":{\"done\":true,"
             "\"asked\":5,\"right\":4},\"gather\":{\"done\":true,\"asked\":4,"
             "\"right\":2},\"reduce\":{\"page\":3,\"done\":true,"
             "\"passed\":true,\"asked\":6,\"right\":0}}}");
    start(&t, 80, 24, NULL, NULL);
    ok(terminal_shows(&t, "3 of "), "three are read");
    ok(terminal_shows(&t, "read, 2 passed"), "and two passed");
    ok(terminal_shows(&t, "0 of 6 questions answered right") &&
           terminal_shows(&t, "passed."),
       "the lesson that is chosen has been passed before");
    ok(terminal_shows(&t, "4/5  5 min") && terminal_shows(&t, "2/4  4 min"),
       "the others have their score in the list");
    ok(terminal_shows(&t, "✓  3") && terminal_shows(&t, "~  4") &&
           terminal_shows(&t, "●  5"),
       "passed, read and begun have signs of their own");
    ok(terminal_shows(&t, "▼"), "there are more lessons than rows");
    terminal_type(&t, "s");
    ok(terminal_shows(&t, "not about a program"), "s needs a program");
    ok(explains(&t, "ask again what was missed"), "? explains v");
    type_in_turn(&t, "x");
    ok(explains(&t, "3 of 5 questions right at once") &&
           terminal_has(&t, "read, but not passed"),
       "the signs and the score");
    type_in_turn(&t, "x");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
}

/* What the menu suggests. */
static void
test_next(void)
{
    struct terminal t;

    put_file(progress_file(),
             "{\"version\":1,\"lessons\":{\"scatter\":{\"done\":true},"
             "\"reduce\":{\"page\":3}}}");
    start(&t, 80, 24, NULL, NULL);
    ok(terminal_shows(&t, "▶ ●  5"), "first of all a lesson that was begun");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
    start(&t, 80, 24, "scatter", NULL);
    terminal_shows(&t, "Enter go on");
    terminal_type(&t, "m");
    ok(terminal_shows(&t, "▶    4"),
       "after one that was done the next new one");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
}

/* What was missed comes back: two questions of one lesson and one of a lesson
 * that is gone. */
static void
test_review(void)
{
    struct terminal t;
    char lesson[300], kept[1000];

    snprintf(lesson, sizeof lesson, "%s/again.lua", lab);
    put_file(lesson,
             "lesson { number = 97, title = 'Again', idea = 'I' }\n"
             "say 'The first page.'\n"
             "predict { 'How many?', kind = 'number', wrong = { [3] = 'no' },\n"
             "  answer = function() return 7 end }\n"
             "predict { 'Which?', choices = { 'red', 'blue' },\n"
             "  answer = function() return 'blue' end }\n");
    snprintf(kept, sizeof kept,
             "{\"version\":1,\"lessons\":{\"gone\":{\"review\":[{"
             "\"question\":1,\"round\":1,\"due\":5}]},\"%s\":{\"page\":1,"
             "\"done\":true,\"answers\":[3],\"review\":[{\"question\":0,"
             "\"round\":1,\"due\":7},{\"question\":1,\"round\":3,"
             "\"due\":8}]}}}", lesson);
    put_file(progress_file(), kept);
    start(&t, 80, 24, NULL, NULL);
    ok(terminal_shows(&t, "3 questions that you missed"), "the menu says so");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "How many?"), "v asks them");
    terminal_type(&t, "\033OD");
    wait_for_turn(&t);
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "It is: 7"), "and keeps to the question");
    terminal_type(&t, "m");
    ok(terminal_shows(&t, "1 question that you missed"), "m: the menu");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "Which?"), "v asks the other");
    pick(&t, "red");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "q quit"), "its answer offers q");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "which quits");
    terminal_done(&t);
    put_file(progress_file(), kept);

    start(&t, 80, 24, "--review", NULL);
    ok(terminal_shows(&t, "How many?"), "without the menu");
    terminal_type(&t, "m");
    ok(terminal_shows(&t, "2 questions that you missed"), "m leads there");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);

    start(&t, 80, 24, "--review", NULL);
    ok(terminal_shows(&t, "How many?"), "the oldest question comes first");
    ok(terminal_shows(&t, "show me") && !terminal_has(&t, "back"),
       "there is no page to go back to");
    terminal_type(&t, "3\r");
    ok(terminal_shows(&t, "✗ no"), "a wrong answer has its line");
    terminal_type(&t, "7\r");
    ok(terminal_shows(&t, "second try: 7"), "and a second try");
    ok(terminal_shows(&t, "Enter go on"), "after which it goes on");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "Which?"), "with the next question");
    pick(&t, "blue");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "✓ Right: blue"), "which is right");
    terminal_type(&t, "\r");
    is_int(terminal_wait(&t), 0, "and the last");
    ok(terminal_shows(&t, "the next question comes in 1 day"),
       "the first one comes back tomorrow");
    ok(terminal_whole(&t), "and the terminal is whole");
    ok(file_has(progress_file(), "\"question\": 0"), "what was missed stays");
    ok(!file_has(progress_file(), "\"question\": 1"),
       "what was right in its third round is done, what is gone is gone");
    ok(file_has(progress_file(), "\"page\": 1") &&
           file_has(progress_file(), "\"done\": true"),
       "the rest is as it was");
    terminal_done(&t);
}

/* A lesson is open while another collviz changes what is kept of it: the next
 * page of the lesson undoes none of that. */
static void
test_two_at_once(void)
{
    struct terminal a, b;
    char lesson[300], kept[1000];

    snprintf(lesson, sizeof lesson, "%s/twice.lua", lab);
    put_file(lesson, "lesson { number = 96, title = 'Twice', idea = 'I' }\n"
                     "say 'The first page.'\n"
                     "predict { 'Which?', choices = { 'red', 'blue' },\n"
                     "  answer = function() return 'blue' end }\n"
                     "say 'The last page.'\n");
    snprintf(kept, sizeof kept,
             "{\"version\":1,\"lessons\":{\"%s\":{\"done\":true,"
             "\"passed\":true,\"review\":[{\"question\":0,\"round\":1,"
             "\"due\":7}]}}}", lesson);
    put_file(progress_file(), kept);
    start(&a, 80, 24, lesson, NULL);
    ok(terminal_shows(&a, "The first page."), "a lesson is open");

    start(&b, 80, 24, "--review", NULL);
    ok(terminal_shows(&b, "Which?"), "elsewhere its question is reviewed");
    pick(&b, "blue");
    terminal_type(&b, "\r");
    ok(terminal_shows(&b, "✓ Right: blue"), "and answered");
    terminal_type(&b, "\r");
    is_int(terminal_wait(&b), 0, "that is all");
    terminal_done(&b);
    terminal_type(&a, "\r");
    ok(terminal_shows(&a, "Which?"), "the lesson goes on");
    ok(file_has(progress_file(), "\"page\": 1"), "its page is kept");
    ok(file_has(progress_file(), "\"round\": 2"), "and so is the review");

    put_file(progress_file(), "{\"version\":1,\"lessons\":{}}");
    pick(&a, "blue");
    terminal_type(&a, "\r");
    ok(terminal_shows(&a, "✓ Right: blue"), "it is forgotten, and goes on");
    ok(file_has(progress_file(), "\"page\": 2"), "its page is kept");
    ok(!file_has(progress_file(), "true") &&
           !file_has(progress_file(), "\"round\""),
       "what was forgotten stays forgotten");
    terminal_type(&a, "q");
    is_int(terminal_wait(&a), 0, "q quits");
    terminal_done(&a);
    unlink(lesson);
}

/* A lesson that cannot be played does not hold up the questions of others. */
static void
test_review_broken(void)
{
    struct terminal t;
    char torn[300], whole[300], kept[1000];

    snprintf(torn, sizeof torn, "%s/torn.lua", lab);
    snprintf(whole, sizeof whole, "%s/whole.lua", lab);
    put_file(torn, "lesson {\n");
    put_file(whole, "lesson { number = 98, title = 'Whole', idea = 'I' }\n"
                    "predict { 'Which?', choices = { 'red', 'blue' },\n"
                    "  answer = function() return 'blue' end }\n");
    snprintf(kept, sizeof kept,
             "{\"version\":1,\"lessons\":{\"%s\":{\"review\":["
             "{\"question\":0,\"round\":1,\"due\":5},"
             "{\"question\":1,\"round\":1,\"due\":6}]},"
             "\"%s\":{\"review\":[{\"question\":0,\"round\":2,"
             "\"due\":7},{\"question\":4,\"round\":2,\"due\":8}]}}}",
             torn, whole);
    put_file(progress_file(), kept);
    start(&t, 80, 24, "--review", NULL);
    ok(terminal_shows(&t, "Which?"), "a later question is asked");
    pick(&t, "blue");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "✓ Right: blue"), "and answered");
    terminal_type(&t, "\r");
    is_int(WEXITSTATUS(terminal_wait(&t)), 1, "then the review has failed");
    ok(terminal_shows(&t, "a question that is due cannot be asked: ") &&
           terminal_shows(&t, "torn.lua:2: "),
       "and says why");
    ok(terminal_whole(&t), "and the terminal is whole");
    ok(file_has(progress_file(), "\"round\": 3"), "what was answered is kept");
    ok(file_has(progress_file(), "\"question\": 1"),
       "what could not be asked stays");
    ok(!file_has(progress_file(), "\"question\": 4"),
       "what its lesson no longer has is forgotten");
    terminal_done(&t);

    put_file(progress_file(), kept);
    start(&t, 80, 24, "--review", NULL);
    ok(terminal_shows(&t, "Which?"), "once more");
    terminal_type(&t, "q");
    is_int(WEXITSTATUS(terminal_wait(&t)), 1, "q ends it");
    ok(terminal_shows(&t, "torn.lua:2: "), "with the same error");
    terminal_done(&t);

    start(&t, 80, 24, "--review", NULL);
    ok(terminal_shows(&t, "Which?"), "and again");
    terminal_type(&t, "m");
    ok(terminal_shows(&t, "torn.lua:2: "), "m: the menu has the error");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "Which?"), "v asks the later question");
    pick(&t, "blue");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "✓ Right: blue"), "and takes the answer");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "a question that is due cannot be asked: ") &&
           terminal_shows(&t, "Enter start"),
       "the menu goes on, with the error");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "torn.lua:2: ") && terminal_shows(&t, "Enter start"),
       "v leads back to it if nothing else is due");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);
    unlink(torn);
    unlink(whole);
}

/* A lesson of the user's own that has a mistake in it. */
static void
test_broken(void)
{
    struct terminal t;
    char path[300];

    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/collviz%s", lab, i ? "/lessons" : "");
        mkdir(path, 0777);
    }
    snprintf(path, sizeof path, "%s/collviz/lessons/broken.lua", lab);
    put_file(path, "lesson {\n");
    start(&t, 80, 24, NULL, NULL);
    ok(terminal_shows(&t, "Enter start"), "the menu");
    terminal_type(&t, "\033OFr");
    ok(terminal_shows(&t, "what was done in: broken"), "r names it");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "broken.lua:2: "), "Enter shows its error");
    terminal_type(&t, "\033OHj\r");
    ok(terminal_shows(&t, "2 \302\267 Broadcast"), "the menu goes on");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);
    unlink(path);
}

int
main(void)
{
    learn_begin();
    test_to_the_end();
    test_menu();
    test_scores();
    test_next();
    test_review();
    test_two_at_once();
    test_review_broken();
    test_broken();
    lab_remove();
    return done_testing();
}
