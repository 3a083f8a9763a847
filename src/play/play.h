/* SPDX-License-Identifier: MIT */
/* Plays a run from its first step to its end, without a user. */
#ifndef PLAY_PLAY_H
#define PLAY_PLAY_H

#include "play/session.h"

/* Grants one step after another, or all at once, until the run ends or a
 * signal arrives (base/signals.h).  Returns false, with the reason in *err,
 * if the run failed.  What the run waits for is said on standard error. */
bool play_through(struct session *s, bool free_pace, struct err *err);

#endif
