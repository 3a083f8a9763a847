/* SPDX-License-Identifier: MIT */
/* Recordings, as --record writes them: read whole, or not at all. */
#ifndef PLAY_RECORDING_H
#define PLAY_RECORDING_H

#include "play/session.h"

/* Reads all of it into the session, sinks and all.  False, with the reason,
 * for a file that can not be read, was cut, or does not fit together. */
bool recording_read(struct session *s, const char *name, struct err *err);

#endif
