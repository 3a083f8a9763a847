/* SPDX-License-Identifier: MIT */
/* A lesson as text: every page, every question, and what every rank held after
 * every step.  For reading, printing, and screen readers. */
#ifndef TUTOR_TRANSCRIPT_H
#define TUTOR_TRANSCRIPT_H

#include "play/options.h"

/* Plays it with nobody answering, and prints it; with `answers` what the run
 * said is printed, else there is room to write it.  Ends early where a signal
 * asks to (base/signals.h).  False where the lesson failed. */
bool transcript(const char *path, const struct options *o, bool answers,
                struct err *err);

#endif
