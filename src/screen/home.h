/* SPDX-License-Identifier: MIT */
/* The home screen: what `collviz` alone on a terminal shows.  Enter goes to a
 * lesson, a run or a recording, and q there leads back.  With lessons alone it
 * is the menu of `collviz learn`. */
#ifndef SCREEN_HOME_H
#define SCREEN_HOME_H

#include "play/options.h"
#include "term/screen.h"
#include "tutor/exam.h"

/* Shows it until the user quits or a signal asks to end.  Runs have the options
 * given.  `screen` NULL: one that is opened for it; so below.  Returns false,
 * with the reason in *err, if there is no screen. */
bool home(const struct options *o, struct screen *screen, struct err *err);

/* Plays the lesson `name`, which is the file `path`, and those that follow, or
 * with `reviews` asks what is due, or what proves the lesson, and then shows
 * the menu, unless the learner has left; a NULL name: begins with the menu, or
 * with the first lesson of --lecture.  Returns false, with the reason in *err,
 * if there is no screen, a lesson cannot be played or a question that is due
 * not asked, unless the menu has shown it. */
bool home_lessons(const struct options *o, struct screen *screen,
                  const char *name, const char *path, bool reviews,
                  struct err *err);

/* Practises a skill from a seed on, or takes an exam (practice: SKILL_NONE).
 * Returns false, with the reason in *err, if there is no screen or a task
 * cannot be asked. */
bool home_tasks(const struct options *o, struct screen *screen,
                enum skill practice, uint32_t seed, struct exam *e,
                struct err *err);

/* Looks for mistakes in a lesson, by playing it in every language with right
 * answers, with wrong ones and with none (lint.c).  Prints a line for each
 * mistake, "FILE:LINE: mistake".  Returns the exit status, EXIT_WRONG if there
 * was a mistake. */
int lint(const char *path, const struct options *o);

#endif
