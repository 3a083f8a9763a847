/* SPDX-License-Identifier: MIT */
/* Exercises, asked in any round by a tutor without a screen:
 *
 *     tutor_begin();
 *     char *path = exercise("repair");
 *     struct tutor *t = ask(path, 0, 7);        its first question, round 7
 *     give(t, json_null());                     the page has the answer
 *     tutor_close(t);
 *     free(path);
 *     lab_remove(); */
#ifndef TESTS_EXERCISE_RUN_H
#define TESTS_EXERCISE_RUN_H

#include <stdlib.h>

#include "tutor_run.h"

TAP_UNUSED static char *
exercise(const char *name)
{
    const char *srcdir = getenv("srcdir");
    char *path;

    if (asprintf(&path, "%s/lessons/exercises/%s.lua",
                 srcdir != NULL ? srcdir : ".", name) < 0)
        die("out of memory");
    return path;
}

/* What plays of the exercise that was asked last have found out and run. */
static char *asked_path;
static json_t *asked_known;
static struct kept_runs asked_runs;

static void
forget_other(const char *path)
{
    if (asked_path != NULL && strcmp(asked_path, path) == 0)
        return;
    free(asked_path);
    json_decref(asked_known);
    kept_done(&asked_runs);
    asked_path = mem_string(path);
    asked_known = tutor_new_known();
    asked_runs = (struct kept_runs){.count = 0};
}

/* Plays to the question in a round. The caller closes it. */
static struct tutor *
ask(const char *path, int question, int round)
{
    static const struct options o = {.backend = (char *)"auto", .count = -1,
                                     .step = -1, .bytes = 1 << 20};
    struct tutor_how how = {.question = question, .round = round,
                            .unwatched = true, .kept = &asked_runs};
    struct tutor *t;
    struct err err;

    forget_other(path);
    how.known = asked_known;
    t = tutor_open(path, &o, &how, &err);
    if (t == NULL)
        die("%s", err.text);
    play_on(t);
    return t;
}

TAP_UNUSED static void
give(struct tutor *t, const json_t *answer)
{
    struct err err;

    if (!tutor_answer(t, json_deep_copy(answer), &err))
        die("%s", err.text);
    play_on(t);
}

/* The right answer to the question; a new reference.  It is given up. */
TAP_UNUSED static json_t *
truth_of(struct tutor *t, int question)
{
    give(t, json_null());
    return json_incref(json_array_get(seen(t)->record.truths,
                                      (size_t)question));
}

#endif
