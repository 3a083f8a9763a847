/* SPDX-License-Identifier: MIT */
/* Looks for mistakes in a lesson, by playing it in every language with right
 * answers, with wrong ones and with none. */
#ifndef SCREEN_LINT_H
#define SCREEN_LINT_H

#include "play/options.h"

/* Prints a line for each mistake, "FILE:LINE: mistake". Returns the exit
 * status, EXIT_WRONG if there was a mistake. */
int lint(const char *path, const struct options *o);

#endif
