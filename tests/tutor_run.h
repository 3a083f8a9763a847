/* SPDX-License-Identifier: MIT */
/* Lessons of a few lines, played by a tutor without a screen:
 *
 *     tutor_begin();
 *     OWNS(tutor) *t = open_lines("say 'One.'\n" ASKS("8", "?"));
 *     play_on(t);
 *     go_on(t);
 *     answer(t, 8, 0);
 *     lab_remove();
 *
 * The script is lines.lua in the lab (lab.h). */
#ifndef TESTS_TUTOR_RUN_H
#define TESTS_TUTOR_RUN_H

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/language.h"
#include "bring_worker.h"
#include "lab.h"
#include "tap.h"
#include "tutor/tutor.h"

TAP_UNUSED static void
tutor_end(struct tutor **t)
{
    tutor_close(*t);
}

/* What is seen of a tutor. */
static const struct tutor_seen *
seen(const struct tutor *t)
{
    return tutor_seen(t);
}

/* To be called first; lab_remove() ends it. */
static void
tutor_begin(void)
{
    struct err err;

    bring_worker();
    language_init("en", &err);
    lab_make();
}

/* Acts as a learner who knows no answer; waits for a tutor that is busy. */
static bool
turn(struct tutor *t, struct err *err)
{
    struct pollfd p = {.fd = tutor_fd(t), .events = POLLIN};
    int64_t now = clock_ns(), due = tutor_due(t, now);

    if (seen(t)->state == TUTOR_PAGE)
        return tutor_go_on(t, err);
    if (seen(t)->state == TUTOR_ASKS)
        return tutor_answer(t, NULL, err);
    poll(&p, 1, due == INT64_MAX ? -1 : due > now);
    return true;
}

static const char *
lines_path(void)
{
    static char path[300];

    snprintf(path, sizeof path, "%s/lines.lua", lab);
    return path;
}

static const struct tutor_how unseen = {.unwatched = true};

static struct options tutor_options = {.backend = (char *)"auto", .count = -1,
                                       .step = -1};

/* A tutor that plays a script. */
static struct tutor *
open_script(const char *script, const struct tutor_how *how)
{
    struct err err = {.text = ""};
    FILE *file = fopen(lines_path(), "w");
    struct tutor *t;

    fputs(script, file);
    fclose(file);
    t = tutor_open(lines_path(), &tutor_options, how, &err);
    if (t == NULL)
        exit(99);
    return t;
}

/* The same, as a lecture. */
TAP_UNUSED static struct tutor *
open_lecture(const char *script)
{
    struct tutor *t;

    tutor_options.lecture = true;
    t = open_script(script, &unseen);
    tutor_options.lecture = false;
    return t;
}

/* A tutor that plays a lesson of these lines. */
TAP_UNUSED static struct tutor *
open_how(const char *lines, const struct tutor_how *how)
{
    OWN(buf) script = {0};

    buf_addf(&script, "lesson { number = 9, title = 't', idea = 'i' }\n%s",
             lines);
    return open_script(buf_text(&script), how);
}

/* The same, unwatched. */
TAP_UNUSED static struct tutor *
open_lines(const char *lines)
{
    return open_how(lines, &unseen);
}

/* The same after so many pages, with what was answered before. */
TAP_UNUSED static struct tutor *
open_after(const char *lines, int pages, json_t *earlier)
{
    struct tutor_how how = {.skip = pages, .earlier = earlier,
                            .unwatched = true};

    return open_how(lines, &how);
}

/* Plays on, until the tutor stops at a question, a page or the end. */
TAP_UNUSED static void
play_on(struct tutor *t)
{
    struct err err = {.text = ""};

    while (tutor_advance(t, clock_ns(), &err) && seen(t)->state == TUTOR_BUSY)
        turn(t, &err);
    if (err.text[0] != '\0')
        diag("%s", err.text);
}

/* Answers the question; 0: the learner does not know. */
TAP_UNUSED static void
answer(struct tutor *t, int number, int hints)
{
    struct err err;

    tutor_hinted(t, hints);
    tutor_answer(t, number != 0 ? json_integer(number) : NULL, &err);
    play_on(t);
}

TAP_UNUSED static void
go_on(struct tutor *t)
{
    struct err err;

    tutor_go_on(t, &err);
    play_on(t);
}

/* The line of a prediction: a number, where 5 and 7 are known to be wrong. */
#define ASKS(truth, text)                                                      \
    "predict { '" text "', kind = 'number', hints = { 'h' },\n"                \
    "  wrong = { [7] = 'seven is wrong', [5] = 'five is wrong' },\n"           \
    "  answer = function() return " truth " end, why = 'so' }\n"

#endif
