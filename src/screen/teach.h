/* SPDX-License-Identifier: MIT */
/* Lessons on the screen, with keys. */
#ifndef SCREEN_TEACH_H
#define SCREEN_TEACH_H

#include "base/buf.h"
#include "lesson/lecture.h"
#include "lesson/review.h"
#include "play/options.h"
#include "term/screen.h"

/* How a lesson was left. */
enum teach_end {
    TEACH_NEXT, /* the lesson that follows */
    TEACH_MENU,
    TEACH_QUIT,
    TEACH_FAILED
};

/* The lesson that follows.  It is looked up at the end of a lesson, because
 * that takes longer than starting one. */
struct teach_next {
    const char *(*title)(void *state); /* "" for nothing */
    void *state;
    const char *back; /* where q leads, translated; NULL: it ends collviz */
    const struct lecture *lecture; /* that this lesson is part of, or NULL */
};

/* Plays a lesson from where it was left. Returns TEACH_FAILED on failure, with
 * the reason in *err. */
enum teach_end teach(struct screen *screen, const char *path,
                     const struct options *o, const struct teach_next *next,
                     struct err *err);

/* Asks one question of a lesson, in a round of its review, and keeps what comes
 * of it.  Returns TEACH_NEXT after it. */
enum teach_end teach_review(struct screen *screen, const char *path,
                            const struct options *o,
                            const struct review *review, struct err *err);

/* Appends a line with the score of a lesson. */
void teach_add_score(struct buf *text, int right, int asked, bool passed);

#endif
