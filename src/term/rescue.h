/* SPDX-License-Identifier: MIT */
/* The terminal made whole again, whatever ends the process: what base/signals.h
 * has to undo while there is a screen. */
#ifndef TERM_RESCUE_H
#define TERM_RESCUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* From now on. `leave` is what brings the terminal back to normal, copied; the
 * modes of `fd` are saved here. False where they can not be read.  The signals
 * of the terminal are caught from here on, too, until it is disarmed. */
bool rescue_arm(int fd, const char *leave, size_t length, struct err *err);
void rescue_disarm(void);

/* Whether the terminal takes something in, or does within a second. */
bool rescue_takes(void);

/* Brings the terminal back now, without waiting for one that takes nothing in:
 * what it has not taken in by then is dropped. */
void rescue_leave(void);

#endif
