/* SPDX-License-Identifier: MIT */
/* A learner's unfinished answer: what has been chosen, typed, or put in order
 * so far.  It handles keys and questions, and does not draw.
 *
 *     reply_begin(&r, &quiz, NULL)
 *     switch (reply_key(&r, key, &answer, &err)) ... */
#ifndef SCREEN_REPLY_H
#define SCREEN_REPLY_H

#include "lesson/quiz.h"
#include "screen/wire.h"
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
    struct wire wire;      /* the step that is wired */
    bool keeps; /* what is wired so far keeps the promise; set by the caller */
    bool empty; /* Enter was pressed with nothing there: once more gives up */
    int hints; /* number of hints shown */
};

enum reply_did {
    REPLY_NOTHING, /* the key is not about the answer */
    REPLY_CHANGED,
    REPLY_GIVEN, /* the caller releases *answer; NULL: "I don't know" */
    REPLY_STEP,  /* reply.wire has a step to run; wire_ran() is called then */
    REPLY_UNDO,  /* the last step is to be taken back */
    REPLY_REFUSED /* *err says why; the learner can correct the answer */
};

/* `wrong` is the first answer if this is the second try; NULL: it is the
 * first. */
void reply_begin(struct reply *r, const struct quiz *quiz,
                 const json_t *wrong);

enum reply_did reply_key(struct reply *r, int key, json_t **answer,
                         struct err *err);

/* A click on a rank, and on a slot of its output (-1: none). */
enum reply_did reply_click(struct reply *r, int rank, int slot,
                           struct err *err);

#endif
