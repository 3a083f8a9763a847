/* SPDX-License-Identifier: MIT */
/* A question of a lesson, and how its answers are judged.
 *
 * Answers and truths are JSON values, so that they can be sent to the script
 * and kept (lesson/progress.h); null means no answer.
 *
 * | kind   | an answer                                   | the truth          |
 * |--------|---------------------------------------------|--------------------|
 * | choice | the choice's number, from 1                 | its text, or that  |
 * | number | a number                                    | a number           |
 * | label  | a text: "A1+C1", in any order; "" for empty | what is in a slot  |
 * | rank   | the rank                                    | the rank           |
 * | order  | a list of the items' numbers, from 1        | such a list        |
 * | transfer | a place in the run: "step 3, 2>0"         | such a text        |
 * | mend   | a change there: "2>0 +1" (text/notation.h)  | such a text        |
 * | line   | the number of a line that is shown, from 1  | that               |
 * | wiring | a list of steps (tutor/wiring.h)           | one that is right  |
 * | rule   | a text (tutor/rule.c)                      | one that is right  |
 *
 * The script writes choices and items in any order; question_shuffle() gives
 * the order in which they are shown.  Answers and truths count in the script's
 * order, so they do not depend on it.
 *
 * A line says why an answer is wrong, without giving the right one.
 *
 * Keys and screens are handled elsewhere.
 *
 * An attempt is what a learner did with a question, as it is kept
 * (lesson/progress.h).  An answer that was given at once, without a hint, is
 * kept as it is; otherwise
 *
 *     {"first":2,"last":1,"hints":1}
 *     {"hints":1}      left after a hint, without an answer
 *
 * The first answer counts.  `last` is that of the second try. */
#ifndef TUTOR_QUESTION_H
#define TUTOR_QUESTION_H

#include <jansson.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tutor/wiring.h"

enum quiz_kind {
    QUIZ_CHOICE,
    QUIZ_NUMBER,
    QUIZ_LABEL,
    QUIZ_RANK,
    QUIZ_ORDER,
    QUIZ_TRANSFER,
    QUIZ_MEND,
    QUIZ_LINE,
    QUIZ_WIRING,
    QUIZ_RULE,
    QUIZ_KINDS
};

struct question_traits {
    const char *name;
    bool typed;  /* the answer is a line that is typed, */
    bool signs;  /* of which every sign is a part */
    bool of_run; /* it needs a run on the screen */
    bool proved; /* the proof judges it */
};
extern const struct question_traits question_traits[QUIZ_KINDS];

enum { QUIZ_ITEMS = 6, QUIZ_HINTS = 3, QUIZ_LINES = 8 };

struct question_line {
    json_t *answer;
    const char *text;
};

struct question {
    json_t *said; /* the request, to which the texts belong */
    enum quiz_kind kind;
    const char *text;
    const char *items[QUIZ_ITEMS]; /* the choices, or what is to be put in
                                    * order */
    int nitems;
    int shown[QUIZ_ITEMS]; /* their numbers, from 1, as they are shown */
    struct question_line lines[QUIZ_LINES];
    int nlines;
    const char *hints[QUIZ_HINTS];
    int nhints;
    const char *why;   /* shown with the answer; NULL: nothing */
    const char *notes; /* for the speaker; NULL: none */
    int nranks; /* of the run that the question is about; 0: no run */
    int nslots, nsteps, nrows; /* of this run; of the lines that are shown; set
                                * by the caller */
    double within; /* a number may be wrong by this part of the truth */
    bool reasons; /* the script says why an answer is wrong */
    int rank, slot; /* the slot that the question is about; -1: none */
    struct wiring wiring; /* the task to wire, or to state a rule for */
    bool (*proves)(const struct wiring *w, const char *rule); /* judges a rule;
                    * set by the tutor, which can build it */
    bool predicts;  /* the run will give the answer */
};

/* Reads a question from a script's request, about a run of `nranks` ranks with
 * `nslots` slots (0: no run); `nsteps` and `nrows` of *q are set before.  Call
 * question_done() in either case. */
bool question_read(struct question *q, json_t *with, int nranks, int nslots,
                   struct err *err);
void question_done(struct question *q);

/* Mixes the order in which choices or items are shown; the same seed gives the
 * same order.  Items that are to be sorted are never shown as the script has
 * them. */
void question_shuffle(struct question *q, uint32_t seed);

/* Whether a value is of the kind that the question asks for. */
bool question_fits(const struct question *q, const json_t *v);

/* The truth that the run gave, as an answer; a new reference.  A number that
 * is the text of a choice stands for that choice.  Returns NULL, with the
 * reason in *err, if the truth is not among the choices, of another kind, or
 * has a line: the lesson is wrong then. */
json_t *question_truth(const struct question *q, const json_t *said,
                       struct err *err);

/* Whether an answer is right; `truth` comes from question_truth().  NULL and
 * null, no answer, are wrong.  With three ranks "S1", a complete sum, equals
 * "A1+B1+C1".  A wiring is right if it keeps the promise within the par, a rule
 * if it does so for all its numbers of GPUs. */
bool question_is_right(const struct question *q, const json_t *answer,
                       const json_t *truth);

/* The line for an answer, or NULL. */
const char *question_line(const struct question *q, const json_t *answer);

/* The same for a choice by its number, from 1. */
const char *question_choice_line(const struct question *q, int choice);

/* A choice, or an item to be put in order, by its number; "nothing" for one
 * that has no text. */
const char *question_item(const struct question *q, int number);

/* An answer as people write it. */
void question_answer_text(const struct question *q, const json_t *answer,
                          struct buf *out);

/* Reads a typed answer: a number ("3/4" is one, too), a label ("-" for an
 * empty slot) or a rule.  Returns NULL, with the reason in *err, for any other
 * text. */
json_t *question_parse(const struct question *q, const char *typed,
                       struct err *err);

#endif
