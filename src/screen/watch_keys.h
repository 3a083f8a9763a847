/* SPDX-License-Identifier: MIT */
/* Keys while a session is watched: what each request of view/keys.h does. */
#ifndef SCREEN_WATCH_KEYS_H
#define SCREEN_WATCH_KEYS_H

#include "screen/watch_state.h"

/* Carries out a key; an open prompt or the help takes it first. */
void watch_key(struct watch *w, int key);

#endif
