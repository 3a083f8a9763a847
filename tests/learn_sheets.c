/* SPDX-License-Identifier: MIT */
/* The texts of collviz learn that fill the screen: the table of collectives and
 * the program that a lesson is about. */
#include "learn_run.h"
#include "tap.h"

#include <sys/stat.h>

/* The texts that fill the screen, out of the menu and out of a lesson. */
static void
test_sheets(void)
{
    struct terminal t;

    start(&t, 80, 24, NULL, NULL);
    ok(terminal_shows(&t, "p table"), "the menu offers a table");
    ok(!terminal_has(&t, "s source"), "and no program without one");
    terminal_type(&t, "cp");
    ok(terminal_shows(&t, "with its own share of the root's input"),
       "p: what each collective promises");
    ok(terminal_shows(&t, "1-20 of 20"), "all of it");
    terminal_type(&t, "q\033OFk");
    ok(terminal_shows(&t, "s source"), "lesson 21 has a program");
    terminal_type(&t, "s");
    ok(terminal_shows(&t, "1 /* SPDX-License"), "c shows its first lines");
    terminal_type(&t, "j");
    ok(terminal_shows(&t, " 2-"), "j: a line down");
    ok(!terminal_has(&t, "1 /* SPDX-License"), "and the first is gone");
    terminal_type(&t, " bk");
    ok(terminal_shows(&t, "1 /* SPDX-License"), "a page there and back");
    terminal_type(&t, "G ");
    ok(terminal_shows(&t, "MPI_Finalize") && terminal_shows(&t, "}"),
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
    terminal_type(&t, "s");
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
                   "  program = 'clears.c' }\n"
                   "for i = 1, 3e7 do end\n"
                   "local r = run 'ring-allreduce --gpus 3'\n"
                   "predict { 'Which?', choices = { 'x', 'y', 'z' },\n"
                   "  wrong = { x = 'no', z = 'no' },\n"
                   "  answer = function() return 'y' end }\n"
                   "predict { 'Slot?', kind = 'label',\n"
                   "  answer = function() return 'C1' end }\n");
    start(&t, 80, 24, path, NULL);
    ok(terminal_shows(&t, "Starting ..."), "a lesson that takes long to start");
    ok(terminal_shows(&t, "s source"), "a question names s");
    terminal_type(&t, "s");
    ok(terminal_shows(&t, "1 first\\x1b[2Jlast"), "s shows the program there");
    terminal_type(&t, "\033");
    terminal_shows(&t, "Which?");
    terminal_type(&t, "c");
    ok(terminal_shows(&t, "y    ▶ x"), "c is the third choice there");
    pick(&t, "y");
    terminal_type(&t, "\r");
    terminal_shows(&t, "Right: y");
    terminal_type(&t, "\r");
    terminal_shows(&t, "Slot?");
    ok(!terminal_has(&t, "s source"), "but not where letters are typed");
    terminal_type(&t, "c1");
    ok(terminal_shows(&t, "c1_"), "c is a letter there");
    terminal_type(&t, "?");
    ok(terminal_shows(&t, "not where letters are typed"), "and ? says so");
    terminal_type(&t, "x\r");
    ok(terminal_shows(&t, "Right: C1"), "the answer is still there");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);

    put_file(path, "lesson { number = 96, title = 'T', idea = 'I',\n"
                   "  program = '../clears.lua' }\nsay 'A page.'\n");
    start(&t, 80, 24, path, NULL);
    terminal_shows(&t, "A page.");
    terminal_type(&t, "s");
    ok(terminal_shows(&t, "must be the name of a file in code/"),
       "a program elsewhere is not read");
    terminal_type(&t, "q");
    terminal_wait(&t);
    terminal_done(&t);
}

int
main(void)
{
    learn_begin();
    test_sheets();
    test_programs();
    lab_remove();
    return done_testing();
}
