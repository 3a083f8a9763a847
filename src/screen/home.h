/* SPDX-License-Identifier: MIT */
/* The home screen: what `collviz` alone on a terminal shows.  Enter goes to a
 * lesson, a run or a recording, and q there leads back. */
#ifndef SCREEN_HOME_H
#define SCREEN_HOME_H

#include "play/options.h"

/* Shows it until the user quits or a signal asks to end.  Runs have the options
 * given.  Returns false, with the reason in *err, if there is no screen. */
bool home(const struct options *o, struct err *err);

#endif
