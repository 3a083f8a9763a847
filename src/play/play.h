/* SPDX-License-Identifier: MIT */
/* A run from its first step to its end, with nobody at the keys. */
#ifndef PLAY_PLAY_H
#define PLAY_PLAY_H

#include "play/session.h"

/* Grants a step after the other, or all at once; until the end, or until a
 * signal asks to end (base/signals.h). False where the run failed. */
bool play_through(struct session *s, bool free_pace, struct err *err);

#endif
