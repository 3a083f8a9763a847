/* SPDX-License-Identifier: MIT */
/* Lessons on the screen, one after another, and the reviews of what was missed.
 *
 *     course.screen = ...;
 *     end = course_play(&course, name, path, &err);
 *     course_done(&course); */
#ifndef SCREEN_COURSE_H
#define SCREEN_COURSE_H

#include "lesson/shelf.h"
#include "play/options.h"
#include "screen/manner.h"
#include "term/screen.h"

/* How a lesson was left. */
enum teach_end {
    TEACH_NEXT, /* the lesson that follows */
    TEACH_MENU,
    TEACH_QUIT,
    TEACH_FAILED
};

struct course {
    /* Set by the caller, and borrowed. */
    struct screen *screen;
    const struct options *o;
    const char *back; /* the name, translated, of the screen that q and the key
                       * of the menu lead back to; NULL: q ends collviz */

    char *name, *path;  /* of the lesson played last, or NULL */
    struct shelf shelf; /* see course_shelf() */
    struct lecture lecture; /* began_ns 0: there is none */
    int first; /* the index of the lesson with which it began */
};

/* Plays a lesson from where it was left, or asks one question of it, and keeps
 * what comes of it; then TEACH_NEXT is returned.  Returns TEACH_FAILED on
 * failure, with the reason in *err. */
enum teach_end course_teach(struct course *c, const struct asked *asked,
                            struct err *err);

/* Plays the lesson `name`, which is the file `path`, and those that follow,
 * until the learner leaves; NULL: the first lesson of --lecture and those that
 * follow, or none.  Returns how it was left, TEACH_FAILED with the reason in
 * *err; TEACH_MENU if there was none. */
enum teach_end course_play(struct course *c, const char *name,
                           const char *path, struct err *err);

/* Asks the questions whose review is due, the oldest first, or those that prove
 * a lesson, if it can be proved now (lesson/progress.h), until there are no
 * more (TEACH_NEXT) or the learner leaves.  A learner who comes back goes on
 * with the next question.  A lesson that cannot be played does not keep the
 * questions of others from being asked: *trouble says why; "": all were. */
enum teach_end course_review(struct course *c, const char *lesson,
                             struct err *trouble);

/* Asks for a skill's exercise, from this seed on one after another, until the
 * learner leaves. */
enum teach_end course_practice(struct course *c, enum skill skill,
                               uint32_t seed, struct err *err);

/* Asks all tasks of an exam, which gets the answers, within so many minutes (0:
 * in any time); then keeps the result and shows it.  TEACH_NEXT: the learner
 * has seen it. */
enum teach_end course_exam(struct course *c, struct exam *e, int minutes,
                           struct err *err);

/* All lessons, which are read when they are needed, until there are some; or
 * `again`, as their files are now. */
const struct shelf *course_shelf(struct course *c, bool again);

void course_done(struct course *c);

#endif
