/* SPDX-License-Identifier: MIT */
/* The terminal made whole again, whatever ends the process.
 *
 * Signals that one may answer in peace (INT, TERM, HUP, and WINCH, TSTP, CONT)
 * are written to a pipe that the loop polls.  A second INT, TERM or HUP that
 * finds the first one still unanswered, and the signals of a crash, write the
 * prepared string to the terminal, give it back its modes, and let the signal
 * have its default effect. */
#ifndef TERM_RESCUE_H
#define TERM_RESCUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* From now on. `leave` is what brings the terminal back to normal, copied;
 * the modes of `fd` are saved here. Returns false where there is no pipe. */
bool rescue_arm(int fd, const char *leave, size_t length, struct err *err);

/* Gives the signals back to whom they belonged. */
void rescue_disarm(void);

/* Readable when a signal has come. */
int rescue_fd(void);

/* The next signal that has come; 0 for none. */
int rescue_next(void);

/* Stops the process as SIGTSTP would have; returns when it goes on. */
void rescue_stop(void);

#endif
