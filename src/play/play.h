/* SPDX-License-Identifier: MIT */
/* Plays a run from its first step to its end, without a user. */
#ifndef PLAY_PLAY_H
#define PLAY_PLAY_H

#include "play/session.h"

/* Grants one step after another, or all at once, until the run ends, a signal
 * arrives (base/signals.h) or the session's timeout is over.  Returns false,
 * with the reason in *err, if the run failed.  Standard error says what the run
 * waits for, or which ranks hold it up. */
bool play_through(struct session *s, bool free_pace, struct err *err);

#endif
