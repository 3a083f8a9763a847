/* SPDX-License-Identifier: MIT */
/* A learner's unfinished answer: what has been chosen, typed, or put in order
 * so far.  It handles keys and questions, and does not draw.  What is wired
 * goes to the tutor at once.
 *
 *     answer_begin(&a, tutor_seen(tutor), tutor)
 *     switch (answer_key(&a, key, &given, &err)) ...
 *
 * How each kind of question is answered says its face, a row of the table
 * below. */
#ifndef SCREEN_ANSWER_H
#define SCREEN_ANSWER_H

#include "term/prompt.h"
#include "tutor/tutor.h"
#include "view/keys.h"

struct lesson_panel;

struct answer {
    const struct tutor_seen *seen; /* who asks, and */
    struct tutor *tutor; /* who gets what is wired; both are borrowed */
    const struct question *question; /* its question; NULL: nothing is asked */
    int chosen; /* a choice or an item to sort, by its place on the screen, or
                 * a rank; the one after the last choice or rank means "I don't
                 * know"; -1: nothing is chosen yet */
    int refused; /* the choice or rank that was wrong, by its place; -1: none */
    int choices; /* how many there are, "I don't know" among them, or items */
    int first;   /* what the first GPU or line counts as */
    bool held;  /* the chosen item moves along with Up and Down */
    int order[QUESTION_ITEMS]; /* the items, numbers from 1, as they stand */
    struct prompt prompt;  /* what is typed */
    struct prompt_history places; /* which Down and Up type instead */
    bool empty; /* Enter was pressed with nothing there: once more gives up */
    int hints; /* number of hints shown */
    int stood; /* the step of the run when it was asked about */

    /* A wiring (screen/answer_wire.c) */
    int gpu, slot; /* where the next transfer comes from */
    bool adds;
    bool picked;   /* by a click: the next one says to whom */
    bool typing;
    int digit;     /* the last key, if it was one; else -1 */
    size_t digit_count; /* the transfers of the step before that */
    struct flight flights[WIRING_TRANSFERS]; /* of the step that is wired */
};

enum answer_did {
    ANSWER_NOTHING, /* the key is not about the answer */
    ANSWER_CHANGED,
    ANSWER_GIVEN, /* the caller releases *given; NULL: "I don't know" */
    ANSWER_REFUSED /* *err says why; the learner can correct the answer */
};

/* How a kind of question is answered.  A comment says what happens where a
 * function is NULL. */
struct question_face {
    uint64_t keys; /* bits of enum key_state while it is asked */

    void (*begin)(struct answer *a); /* NULL: nothing */

    /* As answer_key(), of which *given is NULL. */
    enum answer_did (*key)(struct answer *a, int key, json_t **given,
                           struct err *err);

    /* As answer_click().  NULL: nothing. */
    enum answer_did (*click)(struct answer *a, int rank, int slot,
                             struct err *err);

    /* Fills the panel: what can be answered, and the answer so far. */
    void (*fill)(const struct answer *a, struct lesson_panel *p);

    /* What the picture shows of it.  NULL: nothing. */
    void (*scene)(struct answer *a, struct scene *s);

    /* Has the run shown where the answer is, after each change; returns the GPU
     * that is concerned, or -1.  NULL: the run stays where it is. */
    int (*moved)(const struct answer *a);

    /* What counts in an exam though it was not handed in, or NULL.  NULL:
     * nothing. */
    json_t *(*unfinished)(const struct answer *a);

    /* Changes what Enter does, and the keys, by the answer so far.  NULL:
     * nothing. */
    void (*add_keys)(const struct answer *a, struct key_line *l);
};

#define FACE_ROW(NAME, name) extern const struct question_face face_##name;
QUESTION_KINDS(FACE_ROW)
#undef FACE_ROW

extern const struct question_face *const question_faces[QUIZ_KINDS];

static inline const struct question_face *
answer_face(const struct answer *a)
{
    return question_faces[a->question->kind];
}

/* Begins anew, where the tutor asks for the first time or once more.  Where the
 * question is for a place in the run, Down and Up go through its transfers.
 * `t` may be NULL where nothing is wired, and no run is shown. */
void answer_begin(struct answer *a, const struct tutor_seen *seen,
                  struct tutor *t);

enum answer_did answer_key(struct answer *a, int key, json_t **given,
                           struct err *err);

/* A click on a rank, and on a slot of its output (-1: none). */
enum answer_did answer_click(struct answer *a, int rank, int slot,
                             struct err *err);

/* What Enter or the last choice says for no answer; not yet translated. */
const char *answer_not_known(const struct answer *a);

/* For faces: a key of a line that is typed. */
enum answer_did answer_type(struct answer *a, int key);

#endif
