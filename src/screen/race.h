/* SPDX-License-Identifier: MIT */
/* A race on the screen: what was compared, run once more and watched, then
 * shown on one clock, slowed down alike.
 *
 * The clock is a network's, or with --network none this machine's: then steps
 * come in the order and at the share of the time that they had when they were
 * watched, and the whole takes what it took unwatched. */
#ifndef SCREEN_RACE_H
#define SCREEN_RACE_H

#include "play/compare.h"

/* Until the user quits, or a signal comes. False, with the terminal whole
 * again, where a run failed. */
bool race(struct comparison *c, bool ascii, struct err *err);

#endif
