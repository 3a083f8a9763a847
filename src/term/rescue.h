/* SPDX-License-Identifier: MIT */
/* Restores the terminal, however the process ends: this is what base/signals.h
 * undoes while there is a screen. */
#ifndef TERM_RESCUE_H
#define TERM_RESCUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Restores the terminal from now on.  Copies `leave`, the bytes that bring it
 * back to normal, and saves the modes of `fd`; returns false if they cannot be
 * read.  Until rescue_disarm() the signals of the terminal are caught, too. */
bool rescue_arm(int fd, const char *leave, size_t length, struct err *err);
void rescue_disarm(void);

/* Whether the terminal takes output now or within a second. */
bool rescue_takes(void);

/* Restores the terminal now.  Does not wait for a terminal that takes no
 * output: whatever it has not taken by then is dropped. */
void rescue_leave(void);

#endif
