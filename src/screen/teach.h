/* SPDX-License-Identifier: MIT */
/* Lessons on the screen, with keys. */
#ifndef SCREEN_TEACH_H
#define SCREEN_TEACH_H

#include "base/buf.h"
#include "lesson/progress.h"
#include "lesson/shelf.h"
#include "play/options.h"
#include "term/screen.h"

/* How a lesson was left. */
enum teach_end {
    TEACH_NEXT, /* the lesson that follows */
    TEACH_MENU,
    TEACH_QUIT,
    TEACH_FAILED
};

/* What is played. */
struct teach_lesson {
    const char *path;
    const char *back; /* where q leads, translated; NULL: it ends collviz */
    const struct lecture *lecture; /* that this lesson is part of, or NULL */
    const struct review *review; /* a question of it, the only one that is
                                  * asked; NULL: the whole lesson */

    /* The title of the lesson that follows, "" for none.  It is looked up at
     * the end, because that takes longer than starting a lesson. */
    const char *(*title)(void *state);
    void *state;
};

/* Plays a lesson from where it was left, or asks one question of it, in a round
 * of its review, and keeps what comes of it; then TEACH_NEXT is returned.
 * Returns TEACH_FAILED on failure, with the reason in *err. */
enum teach_end teach(struct screen *screen, const struct options *o,
                     const struct teach_lesson *lesson, struct err *err);

/* Appends a line with the score of a lesson. */
void teach_add_score(struct buf *text, int right, int asked, bool passed);

#endif
