/* SPDX-License-Identifier: MIT */
/* A learner's answer in the making: what has been chosen, typed, or put in
 * order so far.  It knows keys and questions, no screen.
 *
 *     reply_begin(&r, &quiz)
 *     switch (reply_key(&r, key, &answer, &err)) ...
 */
#ifndef TUTOR_REPLY_H
#define TUTOR_REPLY_H

#include "lesson/quiz.h"
#include "term/prompt.h"

struct reply {
    const struct quiz *quiz; /* borrowed; NULL: nothing is asked */
    int chosen; /* choice or rank, the one behind the last: not known; item in
                 * order */
    bool held;  /* the chosen item goes along up and down */
    int order[QUIZ_ITEMS]; /* the items, numbers from 1, as they stand */
    struct prompt prompt;  /* what is typed */
    int hints; /* that have been asked for */
};

enum reply_did {
    REPLY_NOTHING, /* the key is not about the answer */
    REPLY_CHANGED,
    REPLY_GIVEN, /* *answer is the caller's; NULL: not known */
    REPLY_REFUSED /* with the reason: it can be mended */
};

void reply_begin(struct reply *r, const struct quiz *quiz);

enum reply_did reply_key(struct reply *r, int key, json_t **answer,
                         struct err *err);

#endif
