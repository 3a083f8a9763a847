/* SPDX-License-Identifier: MIT */
/* Watching a session on the screen, with keys. */
#ifndef SCREEN_WATCH_H
#define SCREEN_WATCH_H

#include "play/session.h"
#include "term/prompt.h"
#include "term/screen.h"

/* Where Escape and q lead back to. */
struct watch_way_back {
    const char *to;   /* its name, translated */
    bool lesson;      /* it is a lesson: Enter leads there, too */
    const char *task; /* shown at the beginning, or NULL */
    char *const *tries; /* what the learner is to type at the key `a`; each is
                         * in sight until it is done */
    int ntries;
    bool asks;        /* the prompt of the key `a` is open at the beginning */
    int step;         /* the first step shown */
    struct prompt_history *changes; /* typed earlier at the key `a`, and
                                     * added to; NULL: starts empty */
};

/* The session to watch, and what can be done with it. */
struct watch_source {
    struct session *session; /* at the beginning */

    /* Prepares the session, after the first frame is on the screen. NULL: it is
     * ready. */
    bool (*start)(void *state, struct err *err);

    /* Sets *session to another session, changed as `text` says (play/job.h).
     * Returns false on failure, with the reason in *err. In either case
     * watching continues with *session. NULL: the session is a recording, which
     * cannot be changed. */
    bool (*change)(void *state, const char *text, struct session **session,
                   struct err *err);
    void *state;

    const struct watch_way_back *back; /* NULL: q ends collviz */
};

/* Whether there is a screen. If not, show text. */
bool watch_can(void);

/* Watches until the user quits or a signal asks to end (base/signals.h). With
 * `ascii` it draws only ASCII characters. Returns false, with the terminal
 * restored, if the run failed. */
bool watch(const struct watch_source *source, bool ascii, struct err *err);

/* The same on a screen that is already open. */
bool watch_on(struct screen *screen, const struct watch_source *source,
              bool ascii, struct err *err);

#endif
