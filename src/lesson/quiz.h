/* SPDX-License-Identifier: MIT */
/* A question of a lesson, and what is a right answer to it.
 *
 * Answers and truths are values of JSON, so that they can be told to the
 * script and kept (lesson/progress.h); null is no answer.
 *
 * | kind   | an answer                                   | the truth          |
 * |--------|---------------------------------------------|--------------------|
 * | choice | the choice's number, from 1                 | its text, or that  |
 * | number | a number                                    | a number           |
 * | label  | a text: "A1+C1", in any order; "" for empty | what is in a slot  |
 * | rank   | the rank                                    | the rank           |
 * | order  | a list of the items' numbers, from 1        | such a list        |
 *
 * It knows neither keys nor screens. */
#ifndef LESSON_QUIZ_H
#define LESSON_QUIZ_H

#include <jansson.h>

#include "base/buf.h"
#include "base/err.h"

enum quiz_kind {
    QUIZ_CHOICE,
    QUIZ_NUMBER,
    QUIZ_LABEL,
    QUIZ_RANK,
    QUIZ_ORDER,
    QUIZ_KINDS
};

enum { QUIZ_ITEMS = 6, QUIZ_HINTS = 3 };

struct quiz {
    enum quiz_kind kind;
    char *text;
    char *items[QUIZ_ITEMS]; /* choices, or what is to be put in order */
    int nitems;
    char *hints[QUIZ_HINTS];
    int nhints;
    int nranks; /* of the run that it is about; 0: there is none */
    int rank, slot; /* of the slot that it is about; -1: none */
    bool predicts;  /* the run will tell */
};

/* Reads a question as a script asks it, of a run of `nranks` ranks with
 * `nslots` slots (0: there is none). To be done with in either case. */
bool quiz_read(struct quiz *q, const json_t *with, int nranks, int nslots,
               struct err *err);
void quiz_done(struct quiz *q);

/* The number, from 1, of the item that stands at place `place` (from 0) when
 * items are shown to be put in order: never in the order that was given. */
int quiz_shuffled(const struct quiz *q, int place);

/* Whether a value is an answer to such a question. */
bool quiz_fits(const struct quiz *q, const json_t *v);

/* What the run says, as an answer: a new reference.  A number that is the text
 * of a choice is that choice.  NULL with the reason for what is none of the
 * choices, or of another kind: then the lesson is wrong. */
json_t *quiz_truth(const struct quiz *q, const json_t *said, struct err *err);

/* Whether an answer is right, with the truth of quiz_truth(). NULL and null,
 * no answer, are not. "S1", a complete sum, is "A1+B1+C1" of three ranks. */
bool quiz_is_right(const struct quiz *q, const json_t *answer,
                   const json_t *truth);

/* An answer as people write it. */
void quiz_answer_text(const struct quiz *q, const json_t *answer,
                      struct buf *out);

/* What was typed as an answer: of numbers ("3/4" is one, too), labels ("-" for
 * an empty slot) and ranks. NULL with the reason for what is none. */
json_t *quiz_parse(const struct quiz *q, const char *typed, struct err *err);

#endif
