/* SPDX-License-Identifier: MIT */
/* A learner's unfinished answer: what has been chosen, typed, or put in order
 * so far.  It handles keys and questions, and does not draw.  What is wired
 * goes to the tutor at once.
 *
 *     answer_begin(&a, tutor)
 *     switch (answer_key(&a, key, &given, &err)) ... */
#ifndef SCREEN_ANSWER_H
#define SCREEN_ANSWER_H

#include "term/prompt.h"
#include "tutor/tutor.h"

struct answer {
    struct tutor *tutor; /* borrowed */
    const struct question *question; /* its question; NULL: nothing is asked */
    int chosen; /* a choice or an item to sort, by its place on the screen, or
                 * a rank; the one after the last choice or rank means "I don't
                 * know"; -1: nothing is chosen yet */
    int refused; /* the choice or rank that was wrong, by its place; -1: none */
    bool held;  /* the chosen item moves along with Up and Down */
    int order[QUIZ_ITEMS]; /* the items, numbers from 1, as they stand */
    struct prompt prompt;  /* what is typed */
    struct prompt_history places; /* which Down and Up type instead */
    bool empty; /* Enter was pressed with nothing there: once more gives up */
    int hints; /* number of hints shown */

    /* A wiring: the next transfer goes from a slot, which the arrows or a click
     * choose, to the GPU whose digit or box comes next.  Or it is typed
     * (text/notation.h). */
    int gpu, slot; /* where it comes from */
    bool adds;
    bool picked;   /* by a click: the next one says to whom */
    bool typing;
    int digit;     /* the last key, if it was one; else -1 */
    size_t digit_count; /* the transfers of the step before that */
    struct flight flights[WIRING_TRANSFERS]; /* of answer_flights() */
};

enum answer_did {
    ANSWER_NOTHING, /* the key is not about the answer */
    ANSWER_CHANGED,
    ANSWER_GIVEN, /* the caller releases *given; NULL: "I don't know" */
    ANSWER_REFUSED /* *err says why; the learner can correct the answer */
};

/* Begins anew, where the tutor asks for the first time or once more.  Where the
 * question is for a place in the run, Down and Up go through its transfers. */
void answer_begin(struct answer *a, struct tutor *t);

/* The transfers of the step that is wired, all still at their senders. */
const struct flight *answer_flights(struct answer *a, size_t *count);

/* Append the line of the step that is wired, "step 2: 0>1 +1, 1>2 +2", and that
 * of the next transfer, "GPU 0 sends A1 (slot 1) to GPU _". */
void answer_add_step(const struct answer *a, struct buf *out);
void answer_add_next(const struct answer *a, struct buf *out);

enum answer_did answer_key(struct answer *a, int key, json_t **given,
                           struct err *err);

/* A click on a rank, and on a slot of its output (-1: none). */
enum answer_did answer_click(struct answer *a, int rank, int slot,
                             struct err *err);

#endif
