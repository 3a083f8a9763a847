/* SPDX-License-Identifier: MIT */
/* collviz learn before a class: --present, --lecture, and the speaker's notes
 * on a second terminal. */
#include "learn_run.h"
#include "tap.h"

#include <sys/stat.h>

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
    ok(terminal_shows(&t, "a) B1      b) A1+B1+C1      c) A1+B1"),
       "its choices have letters");
    ok(!terminal_has(&t, "I don't know") && !terminal_has(&t, "▶ a)"),
       "nobody answers it here");
    ok(terminal_shows(&t, "▶  B1"), "its slot is marked");
    terminal_type(&t, "b");
    terminal_type(&t, "n");
    ok(terminal_shows(&t, "c) What comes from GPU 0 is more than A1"),
       "the notes say what is wrong with a choice");
    ok(terminal_shows(&t, "why: GPU 0 sent A1+C1") &&
           terminal_shows(&t, "hint: GPU 1 receives from GPU 0."),
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
    ok(terminal_shows(&t, "What will") && terminal_shows(&t, "A sum grows"),
       "below its question, and why");
    ok(!terminal_has(&t, "to think"), "the timer has ended");
    terminal_type(&t, "\r");
    terminal_shows(&t, "Now 4 GPUs, so 3 steps");
    terminal_type(&t, "\r");
    ok(terminal_shows(&t, "It is: GPU 2"), "what nobody chooses from is said");
    ok(terminal_shows(&t, "Now 4 GPUs, so 3 steps"), "below the question");
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
    terminal_shows(&t, "Enter go on"); /* a key before that is lost */
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
    ok(terminal_shows(&second, "b) A1+B1+C1 +"),
       "which they mark with a sign that every terminal has");
    terminal_type(&first, "t");
    ok(terminal_shows(&second, "to think"), "the timer runs here, too");

    start(&third, 80, 24, "broadcast", "--present");
    ok(terminal_shows(&third, "another collviz is presenting"),
       "only one presents at a time");
    terminal_type(&third, "q");
    terminal_wait(&third);
    terminal_done(&third);
    ok(terminal_shows(&second, "Ring all-reduce"), "which stays the first");

    process_signal(first.pid, SIGKILL);
    terminal_wait(&first);
    terminal_done(&first);
    ok(access(podium_file(), F_OK) == 0, "killed, it leaves its file");
    ok(terminal_shows(&second, "No lesson is being presented"),
       "but is known to be gone");
    start(&first, 80, 24, "broadcast", "--present");
    ok(terminal_shows(&second, "Broadcast"), "started again, it is followed");
    put_file(podium_file(),
             "{\"version\":1,\"lesson\":\"/tmp/x.lua\",\"gpus\":0,\"number\":1,"
             "\"title\":\"T\\u001b[31m\",\"page\":1,\"first\":\"F\\u001b[31m\","
             "\"notes\":\"N\\u001b[31m\",\"progress\":0,\"think_until_ns\":0,"
             "\"lecture\":{\"began_ns\":0,\"minutes\":0,\"before\":0,"
             "\"here\":0}}");
    ok(terminal_shows(&second, "N\\x1b[31m") &&
           terminal_shows(&second, "F\\x1b[31m") &&
           terminal_shows(&second, "T\\x1b[31m"),
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

/* The notes are those of the page that the class sees, also where the lesson
 * goes another way than it would for nobody: the answers decide here, figures
 * that were measured elsewhere. */
static void
test_notes_of_shown_page(void)
{
    struct terminal first, second;
    char lesson[300];

    snprintf(lesson, sizeof lesson, "%s/branch.lua", lab);
    put_file(lesson,
             "lesson { number = 96, title = 'Branch', idea = 'I' }\n"
             "local n = ask { 'How many?', kind = 'number' }\n"
             "if n == 7 then say { 'Seven.', notes = 'You know.' }\n"
             "else say { 'None.', notes = 'You do not.' } end\n"
             "say { 'Both.', notes = 'To all.' }\n"
             "if n == 7 then say { 'More.', notes = 'Go on.' } end\n"
             "local b = bench 'ring-allreduce -g 4 -b 1K -e 1K -n 5'\n"
             "if b[1].wrong > 0 then error('wrong') end\n"
             "say { 'Measured.', notes = 'Well.' }\n");
    start(&second, 80, 24, "--notes", NULL);
    terminal_shows(&second, "No lesson is being presented");
    terminal_start(&first, 80, 24,
                   (char *[]){program(), (char *)"learn", lesson,
                              (char *)"--present", (char *)"--quiz", NULL});
    terminal_shows(&first, "How many?");
    ok(terminal_shows(&second, "next: None."), "what nobody's answer leads to");
    terminal_type(&first, "7\r");
    ok(terminal_shows(&second, "Page 2: Seven.") &&
           terminal_shows(&second, "You know."),
       "the class's page has its notes");
    ok(terminal_lacks(&second, "next:"), "and what follows it is not known");
    terminal_shows(&first, "Seven.");
    terminal_type(&first, "\r");
    ok(terminal_shows(&second, "Page 3: Both.") &&
           terminal_shows(&second, "To all."), "a page that all see");
    terminal_shows(&first, "Both.");
    terminal_type(&first, "\r");
    ok(terminal_shows(&second, "Page 4: More.") &&
           terminal_shows(&second, "Go on."), "one that only this class sees");
    terminal_shows(&first, "More.");
    terminal_type(&first, "\r");
    ok(terminal_shows(&second, "Page 5: Measured.") &&
           terminal_shows(&second, "Well."), "one after a measurement");
    terminal_shows(&first, "Measured.");
    terminal_type(&first, "\r");
    ok(terminal_shows(&second, "The lesson is over."), "the end");
    terminal_type(&second, "q");
    terminal_type(&first, "q");
    terminal_wait(&second);
    terminal_wait(&first);
    terminal_done(&second);
    terminal_done(&first);
}

/* Time to think may be given before there is a page that others can follow. */
static void
test_timer_before_page(void)
{
    struct terminal t;
    char lesson[300];

    snprintf(lesson, sizeof lesson, "%s/slow.lua", lab);
    put_file(lesson, "lesson { number = 97, title = 'Slow', idea = 'I' }\n"
                     "bench 'ring-allreduce -g 4 -b 1K -e 64K -f 2 -n 400'\n"
                     "say 'Ready.'\n");
    start(&t, 80, 24, lesson, "--present");
    terminal_shows(&t, "Measuring");
    terminal_type(&t, "t");
    ok(terminal_shows(&t, "Ready."), "the first page comes");
    ok(terminal_lacks(&t, "cannot follow"), "and can be followed");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
}

int
main(void)
{
    learn_begin();
    test_present();
    test_present_end();
    test_lecture();
    test_follow_notes();
    test_notes_of_shown_page();
    test_timer_before_page();
    lab_remove();
    return done_testing();
}
