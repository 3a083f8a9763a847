/* SPDX-License-Identifier: MIT */
/* collviz learn on a screen, with the keys that the screen offers. */
#include "learn_run.h"
#include "tap.h"

#include <sys/file.h>

static bool
has_catalogue(void)
{
    char command[512];

    snprintf(command, sizeof command,
             "LANGUAGE=zh_CN '%s' --help | grep -q 用法", program());
    return system(command) == 0;
}

/* The number of bytes before a text on the screen; -1: it is not there. */
static int
place_of(struct terminal *t, const char *text)
{
    struct buf all = {0};
    const char *begin = terminal_text(t, &all), *at = strstr(begin, text);
    int place = at != NULL ? (int)(at - begin) : -1;

    buf_done(&all);
    return place;
}

/* Whether two texts are on the screen, the first in a row above the second. */
static bool
stands_above(struct terminal *t, const char *high, const char *low)
{
    int place, below;

    if (!terminal_shows(t, high) || !terminal_shows(t, low))
        return false;
    terminal_settle(t); /* a frame comes in parts */
    place = place_of(t, high);
    below = place_of(t, low);
    return place >= 0 && below > place;
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
    ok(terminal_shows(&t, "3 GPUs ("), "that says where it runs");
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
    ok(!terminal_has(&t, "▶ A1"), "nothing is chosen yet");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "choose first"), "so Enter answers nothing");
    ok(terminal_shows(&t, "I don't know: show me"), "and the choices stay");
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
    ok(terminal_shows(&t, "loss  ● all four") && !terminal_has(&t, "GPU 0"),
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
    ok(file_has(progress_file(), "\"first\": 2"),
       "which forgets no answer");
    terminal_done(&t);
}

/* What is said about a question stands between it and the keys, however much it
 * is, and hides nothing of it. */
static void
test_hints(void)
{
    struct terminal t;
    char lesson[300];

    snprintf(lesson, sizeof lesson, "%s/hints.lua", lab);
    put_file(lesson,
             "lesson { number = 95, title = 'T', idea = 'I' }\n"
             "local r = run 'ring-allreduce --gpus 3'\n"
             "r:go(1)\n"
             "predict { 'The question.\\ntwo\\nthree',\n"
             "  choices = { 'red', 'blue' },\n"
             "  hints = { 'The hint.\\nits end' },\n"
             "  wrong = { red = 'The line.\\nits end' },\n"
             "  answer = function() return 'blue' end }\n");
    start(&t, 80, 24, lesson, NULL);
    ok(terminal_shows(&t, "I don't know: show me"), "a question of three rows");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "choose first"), "Enter without a choice");
    ok(stands_above(&t, "I don't know: show me", "choose first"),
       "is refused below the choices");
    ok(!file_has(progress_file(), "\"hints\": 1"), "no hint was asked for");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "The hint."), "a hint of two rows");
    ok(file_has(progress_file(), "\"hints\": 1"),
       "is kept at once, before there is an answer");
    ok(stands_above(&t, "95 · T", "The question.") &&
           stands_above(&t, "I don't know: show me", "The hint.") &&
           stands_above(&t, "its end", "Enter answer"),
       "stands below the question and its choices");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "choose first") &&
           stands_above(&t, "I don't know: show me", "its end") &&
           stands_above(&t, "its end", "choose first"),
       "and so does the hint with a message");
    pick(&t, "red");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "The line.") &&
           stands_above(&t, "I don't know: show me", "The line."),
       "why it is wrong stands there, too");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
}

/* So it does below a figure, which gets lower. */
static void
test_hint_below_a_figure(void)
{
    struct terminal t;
    char lesson[300];

    snprintf(lesson, sizeof lesson, "%s/figure.lua", lab);
    put_file(lesson,
             "lesson { number = 94, title = 'The figure', idea = 'I' }\n"
             "chart { title = 'Loss', x = 'step', y = 'loss',\n"
             "  series = { { name = 'a', points = { { 0, 5 }, { 9, 1 } } } } }"
             "\nask { 'The question.\\ntwo\\nthree\\nfour',\n"
             "  choices = { 'red', 'blue' }, hints = { 'The hint.' } }\n");
    start(&t, 80, 24, lesson, NULL);
    terminal_shows(&t, "The question.");
    terminal_type(&t, "\r?");
    ok(terminal_shows(&t, "The hint.") &&
           stands_above(&t, "─ step", "94 · The figure ─") &&
           stands_above(&t, "94 · The figure ─", "The question."),
       "a figure does not cover the question with its hint");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
}

/* Leaves the lesson for another number of GPUs, and comes back to the same
 * place. */
static void
test_play(void)
{
    struct terminal t;

    start(&t, 80, 24, "ring-allreduce", NULL);
    terminal_shows(&t, "Three GPUs");
    terminal_type(&t, ">");
    ok(terminal_shows(&t, "nothing to play with yet"),
       "before a run there is nothing to play with");
    terminal_type(&t, "\r");
    terminal_shows(&t, "A box is a GPU");
    terminal_type(&t, "\r");
    terminal_shows(&t, "That was step 1");
    terminal_type(&t, ">");
    ok(terminal_shows(&t, "Esc lesson"), "> leaves the script");
    ok(terminal_shows(&t, "step 1/4"), "at the same step");
    terminal_type(&t, "a5\r");
    ok(terminal_shows(&t, "step 0/8"), "with five GPUs");
    terminal_type(&t, "v");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "That was step 1"), "Esc comes back");
    ok(terminal_shows(&t, "3 GPUs ("), "to the lesson's run");
    ok(terminal_shows(&t, "Esc lessons"), "which Esc leaves, too");
    terminal_type(&t, "\033");
    ok(terminal_shows(&t, "Esc quit"), "for the menu");
    terminal_type(&t, "\033");
    is_int(terminal_wait(&t), 0, "and that, too");
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
    ok(terminal_shows(&t, "Try it."), "and why");
    terminal_type(&t, "v");
    ok(terminal_shows(&t, "Now type: a, then  --delay 1=5"), "it stays");
    terminal_type(&t, "\033");
    terminal_shows(&t, "Enter go on");
    terminal_type(&t, "a");
    ok(terminal_shows(&t, "change:"), "a tries it and asks at once");
    terminal_type(&t, "5\r");
    ok(terminal_shows(&t, "step 0/8") && terminal_shows(&t, "(1 of 2)"),
       "the second one may come first");
    terminal_type(&t, "a--delay 1=5\r");
    ok(terminal_shows(&t, "That was all."), "then only the first is left");
    terminal_type(&t, "\r");
    terminal_shows(&t, "Enter go on");
    terminal_type(&t, "\033OC");
    terminal_shows(&t, "On we go.");
    terminal_type(&t, "\177");
    terminal_shows(&t, "Enter try it");
    terminal_type(&t, "\r");
    terminal_shows(&t, "Now type: a, then  --delay 1=5");
    terminal_type(&t, "a4\r");
    ok(terminal_shows(&t, "step 0/6"), "something else is done");
    ok(terminal_shows(&t, "(1 of 2)"), "which was not asked for");
    ok(terminal_shows(&t, "sent per GPU"), "it hides no bytes");
    terminal_type(&t, "a");
    ok(terminal_shows(&t, "change:"), "the key a");
    ok(terminal_shows(&t, "then  --delay 1=5"), "does not hide it");
    terminal_type(&t, " --delay  1=5 \r");
    ok(terminal_shows(&t, "then  5  and Enter  (2 of 2)"), "then the next one");
    terminal_type(&t, "a5\r");
    ok(terminal_shows(&t, "That was all."), "and then it is done");
    terminal_type(&t, "i");
    ok(terminal_shows(&t, "order of addition"), "i looks into a slot");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "Enter go on"), "Enter comes back");
    ok(terminal_shows(&t, "Try it.") && terminal_shows(&t, "3 GPUs ("),
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
    ok(terminal_shows(&t, "redop root  time algbw busbw #wrong"),
       "its columns are those of nccl-tests");
    ok(terminal_shows(&t, "# tree-allreduce, Avg bus bandwidth"),
       "and its foot");
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

/* A page that follows data shows its way in all steps; the next page does
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
    ok(terminal_shows(&t, "┳─"), "its own way, not all of the step");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "No more.") && !terminal_has(&t, "┳─"),
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
    if (!is_int(process_descendants(t.pid, &worker, 1, 0), 1,
                "a lesson has a worker")) {
        terminal_done(&t);
        return;
    }
    process_signal(worker, SIGINT);
    process_signal(worker, SIGQUIT);
    process_signal(worker, SIGHUP);
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "GPU 0"),
       "which ignores signals from the keyboard");
    process_signal(worker, SIGTERM);
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

int
main(void)
{
    learn_begin();
    test_lesson();
    test_hints();
    test_hint_below_a_figure();
    test_training();
    test_resume();
    test_play();
    test_tasks();
    test_measured();
    test_leave_measuring(NULL);
    test_leave_measuring((char *)"--present");
    test_shorter();
    test_follow();
    test_lock();
    test_sizes();
    test_worker();
    test_chinese();
    lab_remove();
    return done_testing();
}
