/* SPDX-License-Identifier: MIT */
/* The speaker's notes on a screen of their own: those of the page that another
 * collviz of the same user presents (lesson/podium.h), and the line with which
 * the next page begins. */
#ifndef SCREEN_FOLLOW_H
#define SCREEN_FOLLOW_H

#include "play/options.h"
#include "term/screen.h"

/* Follows until the user quits or a signal asks to end (base/signals.h). */
void follow(struct screen *screen, const struct options *o);

#endif
