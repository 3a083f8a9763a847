/* SPDX-License-Identifier: MIT */
/* Restores the terminal, however the process ends: the undo action that is
 * registered with base/signals.h while there is a screen. */
#ifndef TERM_RESCUE_H
#define TERM_RESCUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* From now on, the terminal is restored when the process ends.  Copies `leave`,
 * the bytes that restore it, and saves the modes of `fd`.  Returns false if the
 * modes cannot be read.  Until rescue_disarm() the signals of the terminal are
 * caught, too. */
bool rescue_arm(int fd, const char *leave, size_t length, struct err *err);
void rescue_disarm(void);

/* Whether the terminal accepts output now or within a second. */
bool rescue_takes(void);

/* Restores the terminal now.  Does not wait for a terminal that accepts no
 * output: the rest of the bytes is dropped. */
void rescue_leave(void);

#endif
