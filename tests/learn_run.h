/* SPDX-License-Identifier: MIT */
/* collviz learn on a screen, for tests that drive it by keys.  Its progress and
 * the user's own lessons are in the lab (lab.h).  COLLVIZ is the program. */
#ifndef TESTS_LEARN_RUN_H
#define TESTS_LEARN_RUN_H

#include "lab.h"
#include "tap.h"
#include "terminal.h"

/* To be called first; lab_remove() ends it.  Skips the test where there is no
 * terminal. */
static void
learn_begin(void)
{
    terminal_or_skip();
    lab_make();
    setenv("TERM", "xterm-256color", 1);
}

TAP_UNUSED static char *
program(void)
{
    char *path = getenv("COLLVIZ");

    return path != NULL ? path : (char *)"src/collviz";
}

TAP_UNUSED static void
start(struct terminal *t, int columns, int rows, const char *lesson,
      const char *more)
{
    char *argv[] = {program(), (char *)"learn", (char *)lesson, (char *)more,
                    NULL};

    terminal_start(t, columns, rows, argv);
}

/* Chooses what has this text. */
TAP_UNUSED static void
pick(struct terminal *t, const char *choice)
{
    char chosen[100];

    snprintf(chosen, sizeof chosen, "▶ %s ", choice);
    for (int i = 0; i < 10 && !terminal_has(t, chosen); i++) {
        terminal_type(t, "\t");
        for (int k = 0; k < 10 && !terminal_has(t, chosen); k++)
            terminal_read(t, 20);
    }
    ok(terminal_shows(t, chosen), "%s is chosen", choice);
}

TAP_UNUSED static bool
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

TAP_UNUSED static void
put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        exit(99);
}

TAP_UNUSED static const char *
progress_file(void)
{
    static char path[300];

    snprintf(path, sizeof path, "%s/collviz/progress.json", lab);
    return path;
}

#endif
