/* SPDX-License-Identifier: MIT */
/* Watching a session on the screen, with keys. */
#ifndef SCREEN_WATCH_H
#define SCREEN_WATCH_H

#include "play/session.h"
#include "term/screen.h"

/* Out of watching, to what it came from. */
struct watch_way_back {
    const char *to;   /* what Escape and q lead back to, translated */
    const char *task; /* what there is to do here, or NULL */
    int step;         /* to begin at */
};

/* Where what is watched comes from. */
struct watch_source {
    struct session *session; /* to begin with */

    /* Prepares the session, once something is on the screen; or NULL. */
    bool (*start)(void *state, struct err *err);

    /* Makes *session another one, as `text` asks for (play/job.h). False with
     * the reason; *session is the one to go on with in any case. NULL where
     * nothing can be changed. */
    bool (*change)(void *state, const char *text, struct session **session,
                   struct err *err);
    void *state;

    const struct watch_way_back *back; /* NULL: q ends it all */
};

/* Whether there is a screen: else show text. */
bool watch_can(void);

/* Until the user quits, or a signal asks to end (base/signals.h); in nothing
 * but ASCII if asked to. False, with the terminal whole again, where the run
 * failed. */
bool watch(const struct watch_source *source, bool ascii, struct err *err);

/* The same on a screen that is there already. */
bool watch_on(struct screen *screen, const struct watch_source *source,
              bool ascii, struct err *err);

#endif
