/* SPDX-License-Identifier: MIT */
/* Lessons on the screen, one after another, with the menu between them. */
#ifndef SCREEN_COURSE_H
#define SCREEN_COURSE_H

#include "play/options.h"
#include "term/screen.h"

/* Plays the lesson `name`, which is the file `path`, and those that follow,
 * until the learner leaves; NULL: begins with the menu, or with the first
 * lesson of --lecture.  `back` is the name, translated, of the screen that both
 * q and the key of the menu lead back to; NULL: q ends collviz, and the menu is
 * that of all lessons.  Returns false, with the reason in *err, if a lesson
 * cannot be played. */
bool course(struct screen *screen, const struct options *o, const char *name,
            const char *path, const char *back, struct err *err);

/* Asks the questions whose review is due, the oldest first, until there are no
 * more or the learner leaves; the key of the menu leads to that of all lessons.
 * A lesson that cannot be played does not keep the questions of others from
 * being asked: then it returns false, with the reason in *err, unless the menu
 * has shown it. */
bool course_review(struct screen *screen, const struct options *o,
                   struct err *err);

#endif
