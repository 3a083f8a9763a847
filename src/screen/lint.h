/* SPDX-License-Identifier: MIT */
/* What is wrong with a lesson: played with right answers, with wrong ones and
 * with none, in every language there is. */
#ifndef SCREEN_LINT_H
#define SCREEN_LINT_H

#include "play/options.h"

/* Prints a line for each thing found: FILE:LINE: what. Returns the exit
 * status, EXIT_WRONG where there was something. */
int lint(const char *path, const struct options *o);

#endif
