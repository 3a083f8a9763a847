/* SPDX-License-Identifier: MIT */
/* Writes what is watched to a file: a picture of the screen, a film of the run,
 * or the run itself, to be replayed. */
#ifndef SCREEN_WATCH_WRITE_H
#define SCREEN_WATCH_WRITE_H

#include "screen/watch_state.h"

/* Whether the file may be written: the ending of its name says what it is for,
 * and it is new, or a regular file that the user agreed to replace.  If not,
 * *err says why, or asks the user to agree by Enter. */
bool watch_may_write(struct watch *w, const char *path, struct err *err);

/* Writes it.  Returns false, with the reason in *err, on failure. */
bool watch_write(struct watch *w, const char *path, struct err *err);

#endif
