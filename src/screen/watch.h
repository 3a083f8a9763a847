/* SPDX-License-Identifier: MIT */
/* Watching a run or a recording on the screen, with keys. */
#ifndef SCREEN_WATCH_H
#define SCREEN_WATCH_H

#include "play/job.h"
#include "term/prompt.h"
#include "term/screen.h"

/* The place to which Escape and q lead back. */
struct watch_way_back {
    const char *to;   /* its name, translated */
    bool lesson;      /* it is a lesson: Enter leads there, too */
    const char *task; /* shown at the beginning, or NULL */
    const char *const *tries; /* what the learner is to type at the key `a`;
                               * each is in sight until it is done */
    int ntries;
    bool asks;        /* the prompt of the key `a` is open at the beginning */
    int step;         /* the first step shown; -1: where the run begins */
    struct prompt_history *changes; /* typed earlier at the key `a`, and
                                     * added to; NULL: starts empty */
};

/* Whether there is a screen. If not, show text. */
bool watch_can(void);

/* Watches a job from its start to the end of its session, until the user quits
 * or a signal asks to end (base/signals.h).  The key `a` makes another of it,
 * so *job may be another one afterwards.  `screen` NULL: one that is opened for
 * it; `back` NULL: q ends collviz.  A run of a file is made again at the key
 * `r`, and with --watch when the file has changed; if it cannot be, the one
 * before stays.  With `ascii` it draws only ASCII
 * characters.  Returns false, with the reason in *err, if the run failed. */
bool watch_job(struct job **job, struct screen *screen,
               const struct watch_way_back *back, bool ascii,
               struct err *err);

/* The same for a session that cannot be changed: a recording. */
bool watch_recording(struct session *session, struct screen *screen,
                     const struct watch_way_back *back, bool ascii,
                     struct err *err);

#endif
