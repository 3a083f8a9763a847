/* SPDX-License-Identifier: MIT */
/* Writes what is watched to a file: a picture of the screen, a film of the run,
 * or the run itself, to be replayed. */
#ifndef SCREEN_WATCH_WRITE_H
#define SCREEN_WATCH_WRITE_H

#include "screen/watch_state.h"

/* The ending of the path says what is written.  Returns false, with the reason
 * in *err, if it cannot be. */
bool watch_write(struct watch *w, const char *path, struct err *err);

#endif
