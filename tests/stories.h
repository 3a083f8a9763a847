/* SPDX-License-Identifier: MIT */
/* Stories: parts of a test that wait more than they compute.  Several are told
 * at a time, each by a process of its own, in a folder of its own below the
 * lab, where the program keeps its state, too.  What they check is printed in
 * their order, however long each takes:
 *
 *     for (int i = 0; i < 3; i++)
 *         story(test_place, &places[i]);
 *     stories_end();
 */
#ifndef TESTS_STORIES_H
#define TESTS_STORIES_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"
#include "tap.h"

enum { STORIES_AT_ONCE = 6 };

static struct story {
    pid_t teller; /* 0: it has been printed, or there is none */
    FILE *said;
} stories[STORIES_AT_ONCE];

static int stories_begun;

/* Waits for the story that has this place and prints its checks, with the next
 * numbers. */
static void
story_print(struct story *s)
{
    char *line = NULL;
    size_t size = 0;
    int status = 0, name;

    if (s->teller == 0)
        return;
    waitpid(s->teller, &status, 0);
    rewind(s->said);
    while (getline(&line, &size, s->said) > 0) {
        bool bad = strncmp(line, "not ", 4) == 0;
        name = 0;
        sscanf(line + (bad ? 4 : 0), "ok %*d %n", &name);
        tap_failures += bad;
        printf("%sok %d %s", bad ? "not " : "", ++tap_checks,
               line + (bad ? 4 : 0) + name);
    }
    fflush(stdout);
    free(line);
    fclose(s->said);
    s->teller = 0;
    if (status != 0)
        ok(false, "a story has status %#x", (unsigned)status);
}

static void
story(void (*tell)(const void *about), const void *about)
{
    int place = stories_begun++ % STORIES_AT_ONCE;
    struct story *s = &stories[place];
    char folder[64];

    story_print(s);
    snprintf(folder, sizeof folder, "%s/story-%d", lab, stories_begun);
    s->said = tmpfile();
    if (s->said == NULL || mkdir(folder, 0700) != 0)
        exit(99);
    s->teller = fork();
    if (s->teller == 0) {
        setenv("XDG_STATE_HOME", folder, 1);
        if (chdir(folder) != 0 || dup2(fileno(s->said), STDOUT_FILENO) < 0)
            _exit(99);
        tell(about);
        fflush(stdout);
        _exit(0);
    }
}

static void
stories_end(void)
{
    for (int i = 0; i < STORIES_AT_ONCE; i++)
        story_print(&stories[(stories_begun + i) % STORIES_AT_ONCE]);
}

#endif
