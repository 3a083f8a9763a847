/* SPDX-License-Identifier: MIT */
/* Reads recordings, the files that --record writes. */
#ifndef PLAY_RECORDING_H
#define PLAY_RECORDING_H

#include "play/session.h"

/* Reads a recording into the session, and hands each item to its sink.  Returns
 * false, with the reason in *err, if the file cannot be read, is cut off, or
 * contradicts itself. */
bool recording_read(struct session *s, const char *name, struct err *err);

#endif
