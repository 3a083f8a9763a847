/* SPDX-License-Identifier: MIT */
/* Lessons on the screen, with keys. */
#ifndef SCREEN_TEACH_H
#define SCREEN_TEACH_H

#include "play/options.h"
#include "term/screen.h"

/* What the learner does next. */
enum teach_end {
    TEACH_NEXT, /* the lesson that follows */
    TEACH_MENU,
    TEACH_QUIT,
    TEACH_FAILED
};

/* What comes after a lesson, asked for at its end: finding out takes longer
 * than to begin. */
struct teach_next {
    const char *(*title)(void *state); /* "" for nothing */
    void *state;
};

/* Plays a lesson, from where it was left. TEACH_FAILED with the reason. */
enum teach_end teach(struct screen *screen, const char *path,
                     const struct options *o, const struct teach_next *next,
                     struct err *err);

/* The menu of all lessons: *name, the caller's to free(), is the one that was
 * chosen; NULL where the learner quit.  `last` is the one that he comes from,
 * or NULL. */
bool teach_menu(struct screen *screen, const struct options *o,
                const char *last, char **name, struct err *err);

#endif
