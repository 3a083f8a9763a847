/* SPDX-License-Identifier: MIT */
/* A learner's unfinished answer: what has been chosen, typed, or put in order
 * so far.  It handles keys and questions, and does not draw.
 *
 *     reply_begin(&r, &quiz, NULL)
 *     switch (reply_key(&r, key, &answer, &err)) ... */
#ifndef SCREEN_REPLY_H
#define SCREEN_REPLY_H

#include "lesson/quiz.h"
#include "term/prompt.h"

struct reply {
    const struct quiz *quiz; /* borrowed; NULL: nothing is asked */
    int chosen; /* a choice or an item to sort, by its place on the screen, or
                 * a rank; the one after the last choice or rank means "I don't
                 * know"; -1: nothing is chosen yet */
    int refused; /* the choice or rank that was wrong, by its place; -1: none */
    bool held;  /* the chosen item moves along with Up and Down */
    int order[QUIZ_ITEMS]; /* the items, numbers from 1, as they stand */
    struct prompt prompt;  /* what is typed */
    bool empty; /* Enter was pressed with nothing typed: once more gives up */
    int hints; /* number of hints shown */
};

enum reply_did {
    REPLY_NOTHING, /* the key is not about the answer */
    REPLY_CHANGED,
    REPLY_GIVEN, /* the caller releases *answer; NULL: "I don't know" */
    REPLY_REFUSED /* *err says why; the learner can correct the answer */
};

/* `wrong` is the first answer if this is the second try; NULL: it is the
 * first. */
void reply_begin(struct reply *r, const struct quiz *quiz,
                 const json_t *wrong);

enum reply_did reply_key(struct reply *r, int key, json_t **answer,
                         struct err *err);

#endif
