/* SPDX-License-Identifier: MIT */
/* A lesson on the screen, or a question that is asked alone: the tutor with
 * keys and a terminal. */
#ifndef SCREEN_LESSON_SCREEN_H
#define SCREEN_LESSON_SCREEN_H

#include "screen/manner.h"

/* How a lesson was left. */
enum lesson_end {
    LESSON_NEXT, /* the lesson that follows */
    LESSON_MENU,
    LESSON_QUIT,
    LESSON_FAILED
};

struct lessons;

/* Plays a lesson from where it was left, or asks one question of it, and keeps
 * what comes of it; then LESSON_NEXT is returned.  Returns LESSON_FAILED on
 * failure, with the reason in *err. */
enum lesson_end lesson_screen_play(struct lessons *l,
                                   const struct asked *asked,
                                   struct err *err);

#endif
