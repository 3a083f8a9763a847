/* SPDX-License-Identifier: MIT */
/* The speaker's notes on a screen of their own: those of the page that another
 * collviz of the same user presents, which writes them for us
 * (lesson/podium.h), and, where it is known, the line with which the next page
 * begins (tutor/notes.h). */
#ifndef SCREEN_FOLLOW_H
#define SCREEN_FOLLOW_H

#include "play/options.h"

/* Follows until the user quits or a signal asks to end.  Returns false, with
 * the reason in *err, if there is no screen. */
bool follow(const struct options *o, struct err *err);

#endif
