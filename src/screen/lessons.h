/* SPDX-License-Identifier: MIT */
/* Lessons on the screen, one after another, and the reviews of what was missed.
 *
 *     lessons.screen = ...;
 *     end = lessons_play(&lessons, name, path, &err);
 *     lessons_done(&lessons); */
#ifndef SCREEN_LESSONS_H
#define SCREEN_LESSONS_H

#include "lesson/shelf.h"
#include "play/options.h"
#include "screen/lesson_screen.h"
#include "term/screen.h"

struct lessons {
    /* Set by the caller, and borrowed. */
    struct screen *screen;
    const struct options *o;
    const char *back; /* the name, translated, of the screen that q and the key
                       * of the menu lead back to; NULL: q ends collviz */

    char *name, *path;  /* of the lesson played last, or NULL */
    struct shelf shelf; /* see lessons_shelf() */
    struct lecture lecture; /* began_ns 0: there is none */
    int first; /* the index of the lesson with which it began */
};

/* Plays the lesson `name`, which is the file `path`, and those that follow,
 * until the learner leaves; NULL: the first lesson of --lecture and those that
 * follow, or none.  Returns how it was left, LESSON_FAILED with the reason in
 * *err; LESSON_MENU if there was none. */
enum lesson_end lessons_play(struct lessons *l, const char *name,
                             const char *path, struct err *err);

/* Asks the questions whose review is due, the oldest first, or those that prove
 * a lesson, if it can be proved now (lesson/progress.h), until there are no
 * more (LESSON_NEXT) or the learner leaves.  A learner who comes back goes on
 * with the next question.  A lesson that cannot be played does not keep the
 * questions of others from being asked: *trouble says why; "": all were. */
enum lesson_end lessons_review(struct lessons *l, const char *lesson,
                               struct err *trouble);

/* Asks for a skill's exercise, from this seed on one after another, until the
 * learner leaves. */
enum lesson_end lessons_practice(struct lessons *l, enum skill skill,
                                 uint32_t seed, struct err *err);

/* Asks all tasks of an exam, which gets the answers, within so many minutes (0:
 * in any time); then keeps the result and shows it.  LESSON_NEXT: the learner
 * has seen it. */
enum lesson_end lessons_exam(struct lessons *l, struct exam *e, int minutes,
                             struct err *err);

/* All lessons, which are read when they are needed, until there are some; or
 * `again`, as their files are now. */
const struct shelf *lessons_shelf(struct lessons *l, bool again);

/* The lesson that follows the one played last, or NULL. */
const struct card *lessons_next(struct lessons *l);

void lessons_done(struct lessons *l);

#endif
