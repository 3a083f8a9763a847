/* SPDX-License-Identifier: MIT */
/* A lesson as text: every page, every question, and what every rank held after
 * every step.  For reading, printing, and screen readers.  What a run does
 * comes after the question that it answers.  Of many steps between two pages
 * only the first and the last are printed: the page is about the last.  Where a
 * page comes back to an earlier run or step, that picture is printed again. */
#ifndef TUTOR_TRANSCRIPT_H
#define TUTOR_TRANSCRIPT_H

#include "play/options.h"

/* Plays a lesson without a learner and prints it.  With `answers` it prints the
 * right answers, else room to write them.  Ends early if a signal asks for it
 * (base/signals.h).  Returns false if the lesson failed. */
bool transcript(const char *path, const struct options *o, bool answers,
                struct err *err);

#endif
