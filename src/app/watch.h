/* SPDX-License-Identifier: MIT */
/* Watching a session on the screen, with keys. */
#ifndef APP_WATCH_H
#define APP_WATCH_H

#include "app/session.h"

struct watch_options {
    bool ascii; /* nothing but ASCII */
    bool free;  /* the run gets all steps at once */
};

/* Whether there is a screen: else show text. */
bool watch_can(void);

/* Until the user quits, or a signal comes (interrupt_note). False, with the
 * terminal whole again, where the run failed. */
bool watch(struct session *s, const struct watch_options *o, struct err *err);

#endif
