/* SPDX-License-Identifier: MIT */
/* collviz learn on a screen, with the keys that the screen offers. */
#include "tap.h"
#include "terminal.h"

#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>

static char lab[] = "/tmp/collviz-learn-XXXXXX";

static char *
program(void)
{
    char *path = getenv("COLLVIZ");

    return path != NULL ? path : (char *)"src/collviz";
}

static void
start(struct terminal *t, int columns, int rows, const char *lesson,
      const char *more)
{
    char *argv[] = {program(), (char *)"learn", (char *)lesson, (char *)more,
                    NULL};

    terminal_start(t, columns, rows, argv);
}

static bool
file_has(const char *path, const char *text)
{
    char all[65536];
    FILE *file = fopen(path, "re");
    size_t n = file != NULL ? fread(all, 1, sizeof all - 1, file) : 0;

    if (file != NULL)
        fclose(file);
    all[n] = '\0';
    return strstr(all, text) != NULL;
}

static bool
has_catalogue(void)
{
    char command[512];

    snprintf(command, sizeof command,
             "LANGUAGE=zh_CN '%s' --help | grep -q 用法", program());
    return system(command) == 0;
}

/* Waits until `text` is no longer on the screen. */
static bool
terminal_lacks(struct terminal *t, const char *text)
{
    int64_t until = clock_ns() + (int64_t)TERMINAL_PATIENCE_MS * 1000000;

    while (terminal_has(t, text) && clock_ns() < until &&
           terminal_read(t, 20))
        ;
    return !terminal_has(t, text);
}

static const char *
progress_file(void)
{
    static char path[300];

    snprintf(path, sizeof path, "%s/collviz/progress.json", lab);
    return path;
}

/* Chooses what has this text. */
static void
pick(struct terminal *t, const char *choice)
{
    char chosen[100];

    snprintf(chosen, sizeof chosen, "▶ %s ", choice);
    for (int i = 0; i < 10 && !terminal_has(t, chosen); i++) {
        terminal_type(t, "\t");
        for (int k = 0; k < 10 && !terminal_has(t, chosen); k++)
            terminal_read(t, 20);
    }
    ok(terminal_has(t, chosen), "%s is chosen", choice);
}

static void
test_lesson(void)
{
    struct terminal t;

    start(&t, 80, 24, "ring-allreduce", NULL);
    ok(terminal_shows(&t, "Three GPUs have trained"), "the first page");
    ok(terminal_shows(&t, "Enter go on"), "it says how to go on");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "A box is a GPU"), "Enter goes on");
    ok(terminal_shows(&t, "GPU 0"), "and there is a run");
    ok(terminal_shows(&t, "3 ranks on"), "that says where it runs");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "That was step 1"), "a step is taken");
    terminal_type(&t, "\033OD");
    ok(terminal_shows(&t, "A box is a GPU"), "Left goes back a page");
    terminal_type(&t, "\033OC");
    ok(terminal_shows(&t, "That was step 1"), "Right goes on");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "the page before"), "? explains a lesson's keys");
    ok(!terminal_has(&t, "write the run"), "and no key that is not there");
    terminal_type(&t, "x\033OC");
    ok(terminal_shows(&t, "I don't know: show me"), "a question");
    ok(!terminal_has(&t, "1/4"), "the number of steps is not shown");
    ok(!terminal_has(&t, "▶ "), "nothing is chosen yet");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "choose first"), "so Enter answers nothing");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "GPU 1 receives from GPU 0"), "a hint");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "GPU 0 holds A1+C1"), "another one");
    terminal_type(&t, "\177");
    ok(terminal_shows(&t, "That was step 1"), "Backspace goes back");
    terminal_type(&t, "\033OC");
    ok(terminal_shows(&t, "I don't know: show me"), "the question again");
    pick(&t, "A1+B1");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "✗ What comes from GPU 0"), "why that is wrong");
    ok(terminal_shows(&t, "✗ A1+B1 "), "it is crossed out");
    ok(terminal_shows(&t, "the sum it has just made"),
       "the question is still there");
    ok(file_has(progress_file(), "\"first\": 2"),
       "the first answer is kept before the second");
    ok(file_has(progress_file(), "\"hints\": 2"),
       "with the hints that were shown before going back");
    pick(&t, "B1");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "✗ You said: B1. It is: A1+B1+C1"),
       "wrong again, and what is right");
    terminal_type(&t, "\177");
    ok(terminal_shows(&t, "I don't know: show me"), "back at the question");
    pick(&t, "A1+B1+C1");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "✓ Right at the second try: A1+B1+C1"),
       "the right answer, and not the first");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    ok(terminal_whole(&t), "and the terminal is whole");
    ok(file_has(progress_file(), "\"ring-allreduce\""), "it is kept");
    terminal_done(&t);
}

/* The learner chooses an algorithm, trains with it, and sees the loss fall. */
static void
test_training(void)
{
    struct terminal t;

    start(&t, 80, 24, "ddp", NULL);
    ok(terminal_shows(&t, "Data-parallel training"), "a training");
    terminal_type(&t, "\r");
    pick(&t, "tree-allreduce");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "tree all-reduce"), "its first step is a run");
    terminal_shows(&t, "The first step.");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "By which number"), "a question about it");
    terminal_type(&t, "4\r");
    ok(terminal_shows(&t, "✓ Right: 4"), "the run gives the answer");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "computed at once"), "the mean is the gradient");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "How many different replicas"), "and then 30 steps");
    terminal_type(&t, "1\r");
    ok(terminal_shows(&t, "✓ Right: 1"), "which keep the replicas equal");
    ok(terminal_has(&t, "loss  ● all four") && !terminal_has(&t, "GPU 0"),
       "a chart is in the place of the picture");
    terminal_type(&t, "\177");
    ok(terminal_shows(&t, "tree all-reduce"), "a page back, there is the run");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);
}

static void
test_resume(void)
{
    struct terminal t;

    start(&t, 80, 24, "ring-allreduce", NULL);
    ok(terminal_shows(&t, "second try: A1+B1+C1"),
       "it goes on where it was left");
    ok(terminal_shows(&t, "Home first page"), "and says so");
    terminal_type(&t, "\033OH");
    ok(terminal_shows(&t, "Three GPUs have trained"), "Home: its beginning");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
}

static void
put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        exit(99);
}

/* Leaves the lesson for another number of GPUs, and comes back to the same
 * place. */
static void
test_play(void)
{
    struct terminal t;

    start(&t, 80, 24, "ring-allreduce", NULL);
    terminal_shows(&t, "Three GPUs");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "nothing to play with yet"),
       "before a run there is nothing to play with");
    terminal_type(&t, "\r");
    terminal_shows(&t, "A box is a GPU");
    terminal_type(&t, "\r");
    terminal_shows(&t, "That was step 1");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "Enter lesson"), "Esc leaves the script");
    ok(terminal_shows(&t, "step 1/4"), "at the same step");
    terminal_type(&t, "a5\r");
    ok(terminal_shows(&t, "step 0/8"), "with five GPUs");
    terminal_type(&t, "v");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "That was step 1"), "Esc comes back");
    ok(terminal_shows(&t, "3 ranks on"), "to the lesson's run");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "and q quits");
    terminal_done(&t);
}

/* What the lesson asks the learner to type stays in sight until it is done. */
static void
test_tasks(void)
{
    struct terminal t;
    char lesson[300];

    snprintf(lesson, sizeof lesson, "%s/tasks.lua", lab);
    put_file(lesson,
             "lesson { number = 96, title = 'T', idea = 'I' }\n"
             "local r = run 'ring-allreduce --gpus 3'\n"
             "r:go(2)\n"
             "play { 'Try it.', try = { '--delay 1=5', '5' } }\n"
             "say 'On we go.'\n");
    start(&t, 80, 24, lesson, NULL);
    ok(terminal_shows(&t, "Enter try it"), "a page invites to play");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "Now type: a, then  --delay 1=5  and Enter  (1 of "),
       "it says exactly what to type");
    ok(terminal_shows(&t, "step 2/4"), "at the step where the lesson stands");
    ok(terminal_has(&t, "Try it."), "and why");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "Now type: a, then  --delay 1=5"), "it stays");
    terminal_type(&t, "a4\r");
    ok(terminal_shows(&t, "step 0/6"), "something else is done");
    ok(terminal_has(&t, "(1 of 2)"), "which was not asked for");
    terminal_type(&t, "a");
    ok(terminal_shows(&t, "change:"), "the key a");
    ok(terminal_has(&t, "then  --delay 1=5"), "does not hide it");
    terminal_type(&t, " --delay  1=5 \r");
    ok(terminal_shows(&t, "then  5  and Enter  (2 of 2)"), "then the next one");
    terminal_type(&t, "a5\r");
    ok(terminal_shows(&t, "That was all."), "and then it is done");
    terminal_type(&t, "i");
    ok(terminal_shows(&t, "order of addition"), "i looks into a slot");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "Enter go on"), "Enter comes back");
    ok(terminal_has(&t, "Try it.") && terminal_has(&t, "3 ranks on"),
       "to the page and its run");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "On we go."), "and Enter goes on");
    terminal_type(&t, "\177");
    ok(terminal_shows(&t, "Enter try it"), "the page before invites again");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);
}

static const char *
write_lesson(const char *lines)
{
    static char path[300];
    FILE *file;

    snprintf(path, sizeof path, "%s/lesson.lua", lab);
    file = fopen(path, "we");
    fprintf(file, "lesson { number = 9, title = 't', idea = 'i' }\n%s", lines);
    fclose(file);
    return path;
}

/* The table is there again, with the same figures, after going back a page. */
static void
test_measured(void)
{
    struct buf before = {0}, after = {0};
    struct terminal t;

    start(&t, 80, 24,
          write_lesson("bench 'ring-allreduce tree-allreduce -g 4 -b 8 -e 1M "
                       "-f 32 -n 2'\nsay 'page one'\nsay 'page two'"), NULL);
    ok(terminal_shows(&t, "page one"), "a measurement comes to its end");
    ok(terminal_has(&t, "redop root  time algbw busbw #wrong"),
       "its columns are those of nccl-tests");
    ok(terminal_has(&t, "# tree-allreduce, Avg bus bandwidth"), "and its foot");
    terminal_settle(&t);
    terminal_text(&t, &before);
    terminal_type(&t, "\r");
    terminal_shows(&t, "page two");
    terminal_type(&t, "\033OD");
    terminal_shows(&t, "page one");
    terminal_settle(&t);
    is_str(terminal_text(&t, &after), buf_text(&before), "the same again");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);
    buf_done(&before);
    buf_done(&after);
}

/* Leaves a lesson that goes on measuring for a minute. */
static void
test_leave_measuring(const char *option)
{
    int64_t typed;
    struct terminal t;

    start(&t, 80, 24,
          write_lesson("for i = 1, 1000 do bench('ring-allreduce -g 8 -b 64K "
                       "-e 256K -f 2 -n ' .. i) end\nsay 'the end'"), option);
    ok(terminal_shows(&t, "131072"), "the first rows show");
    ok(terminal_shows(&t, "Measuring"), "it says what it does");
    typed = clock_ns();
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits while it measures");
    ok(clock_ns() - typed < INT64_C(4000000000), "and soon");
    ok(terminal_whole(&t), "and the terminal is whole");
    terminal_done(&t);
}

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

/* The texts that fill the screen, out of the menu and out of a lesson. */
static void
test_sheets(void)
{
    struct terminal t;

    start(&t, 80, 24, NULL, NULL);
    ok(terminal_shows(&t, "p table"), "the menu offers a table");
    ok(!terminal_has(&t, "c program"), "and no program without one");
    terminal_type(&t, "cp");
    ok(terminal_shows(&t, "with its own share of the root's input"),
       "p: what each collective promises");
    ok(terminal_has(&t, "1-20 of 20"), "all of it");
    terminal_type(&t, "q\033OFk");
    ok(terminal_shows(&t, "c program"), "lesson 21 has a program");
    terminal_type(&t, "c");
    ok(terminal_shows(&t, "1 /* SPDX-License"), "c shows its first lines");
    terminal_type(&t, "j");
    ok(terminal_shows(&t, " 2-"), "j: a line down");
    ok(!terminal_has(&t, "1 /* SPDX-License"), "and the first is gone");
    terminal_type(&t, " bk");
    ok(terminal_shows(&t, "1 /* SPDX-License"), "a page there and back");
    terminal_type(&t, "G ");
    ok(terminal_shows(&t, "MPI_Finalize") && terminal_has(&t, "}"),
       "G its end");
    terminal_type(&t, "  k");
    ok(terminal_shows(&t, "-243 of 244"), "after which there is no more");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "Enter start"), "Enter leads back");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);
}

/* A program that would clear the screen, and one that is elsewhere. */
static void
test_programs(void)
{
    struct terminal t;
    char path[300];

    snprintf(path, sizeof path, "%s/code", lab);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/code/clears.c", lab);
    put_file(path, "first\033[2Jlast\n");
    snprintf(path, sizeof path, "%s/clears.lua", lab);
    put_file(path, "lesson { number = 96, title = 'T', idea = 'I',\n"
                   "  program = 'clears.c' }\nsay 'A page.'\n");
    start(&t, 80, 24, path, NULL);
    terminal_shows(&t, "A page.");
    terminal_type(&t, "c");
    ok(terminal_shows(&t, "1 first\\x1b[2Jlast"), "a program is escaped");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "A page."), "Esc leads back to the lesson");
    terminal_type(&t, "p");
    ok(terminal_shows(&t, "all ranks"), "p: what each collective promises");
    terminal_type(&t, "q");
    ok(terminal_shows(&t, "A page."), "q, too");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "and q quits");
    terminal_done(&t);

    put_file(path, "lesson { number = 96, title = 'T', idea = 'I',\n"
                   "  program = '../clears.lua' }\nsay 'A page.'\n");
    start(&t, 80, 24, path, NULL);
    terminal_shows(&t, "A page.");
    terminal_type(&t, "c");
    ok(terminal_shows(&t, "must be the name of a file in code/"),
       "a program elsewhere is not read");
    terminal_type(&t, "q");
    terminal_wait(&t);
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
    ok(terminal_shows(&t, "4/5 passed"), "one this time");
    ok(terminal_shows(&t, "0/6 passed"), "one before");
    ok(terminal_shows(&t, "2/4") && !terminal_has(&t, "2/4 passed"),
       "one not yet");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
}

static void
test_menu(void)
{
    struct terminal t;

    start(&t, 80, 24, NULL, NULL);
    ok(terminal_shows(&t, "What is a collective?"), "the menu");
    ok(terminal_shows(&t, "day 2    4 min"), "with days and minutes");
    ok(terminal_shows(&t, "\342\234\223  2"), "what is done is marked");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "a lesson that was begun"), "? explains the marks");
    terminal_type(&t, "?");
    terminal_type(&t, "\033OHj\r");
    ok(terminal_shows(&t, "2 \302\267 Broadcast"), "Enter begins a lesson");
    terminal_type(&t, "m");
    ok(terminal_shows(&t, "Enter start"), "back in the menu");
    terminal_type(&t, "\033OHjrr");
    ok(terminal_shows(&t, "0 of "), "r forgets");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
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

/* Two pages, where the lesson had forty when it was left. */
static void
test_shorter(void)
{
    struct terminal t;
    char lesson[300], kept[700];

    snprintf(lesson, sizeof lesson, "%s/short.lua", lab);
    put_file(lesson, "lesson { number = 99, title = \"T\", idea = \"I\" }\n"
                     "say \"The first page.\"\nsay \"The second page.\"\n");
    snprintf(kept, sizeof kept, "{\"version\":1,\"lessons\":{\"%s\":"
             "{\"page\":2,\"answers\":[],\"done\":false}}}", lesson);
    put_file(progress_file(), kept);
    start(&t, 80, 24, lesson, NULL);
    ok(terminal_shows(&t, "The first page."), "a shorter lesson starts again");
    ok(terminal_shows(&t, "it starts again"), "and says so");
    ok(terminal_shows(&t, "q quit") && !terminal_has(&t, "Home first page"),
       "this is its first page");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    ok(file_has(progress_file(), "\"done\": false"), "it is not done");
    ok(file_has(progress_file(), lesson), "it is kept under its path");
    terminal_done(&t);
}

/* A page that follows data shows its rungs in all steps; the next page does
 * not. */
static void
test_follow(void)
{
    struct terminal t;
    char lesson[300];

    snprintf(lesson, sizeof lesson, "%s/follow.lua", lab);
    put_file(lesson, "lesson { number = 98, title = \"T\", idea = \"I\" }\n"
                     "local r = run \"butterfly-allreduce --gpus 4\"\n"
                     "r:go(r.steps)\n"
                     "say { \"Far and wide.\", follow = {0, 0, 0} }\n"
                     "say \"No more.\"\n");
    start(&t, 80, 24, lesson, NULL);
    ok(terminal_shows(&t, "Far and wide."), "a page follows data");
    ok(terminal_has(&t, "┃┃"), "along every rung");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "No more.") && !terminal_has(&t, "┃┃"),
       "the next page does not");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);
}

/* Another program has the lock: progress is not kept, but the lesson goes
 * on. */
static void
test_lock(void)
{
    struct terminal t;
    char path[300];
    int lock;

    snprintf(path, sizeof path, "%s/collviz/lock", lab);
    lock = open(path, O_RDWR | O_CLOEXEC);
    ok(flock(lock, LOCK_EX) == 0, "the lock is held");
    start(&t, 80, 24, "broadcast", NULL);
    ok(terminal_shows(&t, "Enter go on"), "the first page comes");
    ok(terminal_shows(&t, "another program holds it"), "and what is wrong");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);
    close(lock);
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

static void
test_sizes(void)
{
    struct terminal t;

    start(&t, 80, 24, "broadcast", NULL);
    terminal_shows(&t, "Enter go on");
    terminal_resize(&t, 60, 20);
    ok(terminal_shows(&t, "is too small"),
       "a screen that is too small says so");
    terminal_resize(&t, 200, 60);
    ok(terminal_shows(&t, "Enter go on"), "larger goes on");
    terminal_type(&t, "\003");
    ok(WIFSIGNALED(terminal_wait(&t)), "Ctrl-C ends it");
    ok(terminal_whole(&t), "and the terminal is whole");
    terminal_done(&t);
}

static void
test_worker(void)
{
    struct terminal t;
    pid_t worker = 0;
    int status;

    start(&t, 80, 24, "broadcast", NULL);
    terminal_shows(&t, "Enter go on");
    is_int(terminal_descendants(t.pid, &worker, 1, 0), 1,
           "a lesson has a worker");
    kill(worker, SIGINT);
    kill(worker, SIGQUIT);
    kill(worker, SIGHUP);
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "GPU 0"),
       "which ignores signals from the keyboard");
    kill(worker, SIGTERM);
    terminal_type(&t, "\t\r"); /* the first choice */
    status = terminal_wait(&t);
    ok(WIFEXITED(status) && WEXITSTATUS(status) == 1,
       "a killed worker fails the lesson");
    ok(terminal_shows(&t, "was ended by signal 15"), "the screen says so");
    ok(terminal_whole(&t), "the terminal is whole");
    terminal_done(&t);
}

static void
test_chinese(void)
{
    struct terminal t;

    if (!has_catalogue()) {
        skip("no msgfmt made a catalogue");
        return;
    }
    unlink(progress_file());
    start(&t, 80, 24, "ring-allreduce", "--lang=zh_CN");
    ok(terminal_shows(&t, "三个 GPU 用不同的数据训练"), "in Chinese");
    ok(terminal_shows(&t, "Enter 继续"), "its keys, too");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
}

/* A class is asked; the run answers when the teacher wants it. */
static void
test_present(void)
{
    struct terminal t;

    unlink(progress_file());
    start(&t, 80, 24, "ring-allreduce", "--present");
    terminal_shows(&t, "Three GPUs");
    ok(terminal_shows(&t, "n notes"), "the keys name the notes");
    terminal_type(&t, "n");
    ok(terminal_shows(&t, "Ask the class first"), "n shows them");
    terminal_type(&t, "n");
    ok(terminal_lacks(&t, "Ask the class first"), "and hides them");
    terminal_type(&t, "l");
    terminal_shows(&t, "A box is");
    terminal_type(&t, "l");
    terminal_shows(&t, "That was step 1");
    terminal_type(&t, "l");
    ok(terminal_shows(&t, "Enter show the answer"), "a question");
    ok(terminal_has(&t, "a) B1      b) A1+B1+C1      c) A1+B1"),
       "its choices have letters");
    ok(!terminal_has(&t, "I don't know") && !terminal_has(&t, "▶ a)"),
       "nobody answers it here");
    ok(terminal_has(&t, "▶▐ B1 ▌"), "its slot is marked");
    terminal_type(&t, "b");
    terminal_type(&t, "n");
    ok(terminal_shows(&t, "c) What comes from GPU 0 is more than A1"),
       "the notes say what is wrong with a choice");
    ok(terminal_has(&t, "why: GPU 0 sent A1+C1") &&
           terminal_has(&t, "hint: GPU 1 receives from GPU 0."),
       "why another one is right, and the hints");
    terminal_type(&t, "n?");
    ok(terminal_shows(&t, "GPU 1 receives from GPU 0"), "a hint for the class");
    terminal_type(&t, "t");
    ok(terminal_shows(&t, "0:30 to think"), "a timer");
    ok(terminal_shows(&t, "0:2"), "which runs");
    terminal_type(&t, "t");
    ok(terminal_shows(&t, "0:5"), "and is given more time");
    terminal_type(&t, " ");
    ok(terminal_shows(&t, "✓ b) A1+B1+C1"), "Space: the run marks the answer");
    ok(terminal_has(&t, "What will") && terminal_has(&t, "A sum grows"),
       "below its question, and why");
    ok(!terminal_has(&t, "to think"), "the timer has ended");
    terminal_type(&t, "\r");
    terminal_shows(&t, "Now 4 GPUs, so 3 steps");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "It is: GPU 2"), "what nobody chooses from is said");
    ok(terminal_has(&t, "Now 4 GPUs, so 3 steps"), "below the question");
    terminal_type(&t, "\033OD");
    ok(terminal_shows(&t, "Enter show the answer"), "back at the question");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    ok(access(progress_file(), F_OK) != 0, "and nothing is kept");
    terminal_done(&t);
}

/* The last page of a lesson that was presented judges nobody. */
static void
test_present_end(void)
{
    struct terminal t;
    char lesson[300];

    snprintf(lesson, sizeof lesson, "%s/short.lua", lab);
    put_file(lesson, "lesson { number = 95, title = 'T', idea = 'I' }\n"
                     "predict { 'How many?', kind = 'number',\n"
                     "  answer = function() return 7 end }\n");
    start(&t, 80, 24, lesson, "--present");
    terminal_shows(&t, "How many?");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "It is: 7"), "the answer");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "This was lesson 95"), "the end");
    ok(!terminal_has(&t, "right at once"), "has no score");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);
}

/* Two lessons of the user's own, at the end of the lecture. */
static void
test_lecture(void)
{
    struct terminal t;
    char path[2][300];

    for (int i = 0; i < 2; i++) {
        char text[300];
        snprintf(path[i], sizeof path[i], "%s/collviz/lessons", lab);
        mkdir(path[i], 0777);
        snprintf(path[i], sizeof path[i], "%s/collviz/lessons/end%d.lua", lab,
                 i);
        snprintf(text, sizeof text,
                 "lesson { number = 99%d, minutes = %d, lecture = true,\n"
                 "title = 'T', idea = 'I' }\nsay 'Page %d.'\n"
                 "say { 'More.', notes = 'Secret.' }\n",
                 i, 7 + i, i);
        put_file(path[i], text);
    }
    start(&t, 80, 24, "end0", "--lecture");
    ok(terminal_shows(&t, "15 min left"), "the minutes of this and the next");
    ok(!terminal_has(&t, "n notes"), "a learner sees no notes");
    terminal_type(&t, "\r");
    terminal_shows(&t, "More.");
    terminal_type(&t, "n?");
    ok(terminal_shows(&t, "all lessons") && !terminal_has(&t, "speaker"),
       "nor has a key for them");
    terminal_type(&t, "x");
    ok(terminal_shows(&t, "More.") && !terminal_has(&t, "Secret."),
       "which does nothing");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "15 min left, 7 ahead"), "ahead of the plan");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "Page 1."), "the next lesson");
    ok(terminal_shows(&t, "15 min left"), "counts on");
    terminal_type(&t, "q");
    is_int(terminal_wait(&t), 0, "q quits");
    terminal_done(&t);
    unlink(path[0]);
    unlink(path[1]);
}

static const char *
podium_file(void)
{
    static char path[300];

    snprintf(path, sizeof path, "%s/collviz/presenting.json", lab);
    return path;
}

/* The notes on a second terminal follow the first one, whatever becomes of
 * it. */
static void
test_follow_notes(void)
{
    struct terminal first, second, third;

    start(&second, 80, 24, "--notes", NULL);
    ok(terminal_shows(&second, "No lesson is being presented"),
       "nothing to follow yet");
    start(&first, 80, 24, "ring-allreduce", "--present");
    terminal_shows(&first, "Three GPUs");
    ok(terminal_shows(&second, "Ask the class first"), "the notes come");
    ok(terminal_shows(&second, "Page 1 of "), "with the page");
    ok(terminal_shows(&second, "next: A box is a GPU"), "and the next one");
    terminal_type(&first, "l");
    terminal_shows(&first, "A box is");
    terminal_type(&first, "l");
    terminal_shows(&first, "That was step 1");
    terminal_type(&first, "l");
    ok(terminal_shows(&first, "show the answer"), "the class is asked");
    ok(terminal_shows(&second, "c) What comes from GPU 0 is more than A1"),
       "the notes follow");
    ok(terminal_shows(&second, "next: It is: A1+B1+C1"),
       "and know the answer before");
    terminal_type(&first, "t");
    ok(terminal_shows(&second, "to think"), "the timer runs here, too");

    start(&third, 80, 24, "broadcast", "--present");
    ok(terminal_shows(&third, "another collviz is presenting"),
       "only one presents at a time");
    terminal_type(&third, "q");
    terminal_wait(&third);
    terminal_done(&third);
    ok(terminal_has(&second, "Ring all-reduce"), "which stays the first");

    kill(first.pid, SIGKILL);
    terminal_wait(&first);
    terminal_done(&first);
    ok(access(podium_file(), F_OK) == 0, "killed, it leaves its file");
    ok(terminal_shows(&second, "No lesson is being presented"),
       "but is known to be gone");
    start(&first, 80, 24, "broadcast", "--present");
    ok(terminal_shows(&second, "Broadcast"), "started again, it is followed");
    put_file(podium_file(),
             "{\"version\":1,\"lesson\":\"/tmp/\\u001b[31mx.lua\",\"gpus\":0,"
             "\"page\":1,\"progress\":0,\"think_until_ns\":0,\"lecture\":{"
             "\"began_ns\":0,\"minutes\":0,\"before\":0,\"here\":0}}");
    ok(terminal_shows(&second, "\\x1b[31mx.lua"),
       "the file may hold anything, which is escaped");
    put_file(podium_file(), "[");
    ok(terminal_shows(&second, "No lesson is being presented"),
       "or not be understood");
    unlink(podium_file());
    ok(mkfifo(podium_file(), 0600) == 0, "or be a pipe");
    terminal_type(&second, "q");
    is_int(terminal_wait(&second), 0, "q quits");
    ok(terminal_whole(&second), "and the terminal is whole");
    terminal_done(&second);
    unlink(podium_file());
    terminal_type(&first, "q");
    is_int(terminal_wait(&first), 0, "so does the first");
    ok(access(podium_file(), F_OK) != 0, "and takes its file along");
    terminal_done(&first);
}

int
main(void)
{
    char command[64];

    terminal_or_skip();
    if (mkdtemp(lab) == NULL)
        return 99;
    setenv("XDG_STATE_HOME", lab, 1);
    setenv("XDG_DATA_HOME", lab, 1);
    setenv("TERM", "xterm-256color", 1);
    test_lesson();
    test_training();
    test_resume();
    test_play();
    test_tasks();
    test_measured();
    test_leave_measuring(NULL);
    test_leave_measuring((char *)"--present");
    test_to_the_end();
    test_menu();
    test_scores();
    test_sheets();
    test_programs();
    test_review();
    test_shorter();
    test_follow();
    test_lock();
    test_broken();
    test_sizes();
    test_worker();
    test_chinese();
    test_present();
    test_present_end();
    test_lecture();
    test_follow_notes();
    snprintf(command, sizeof command, "rm -rf %s", lab);
    if (system(command) != 0)
        diag("%s is left", lab);
    return done_testing();
}
