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
 * | rule   | a text (tutor/kind_rule.c)                 | one that is right  |
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

struct tutor;
struct verdict;
struct world;

/* The kinds.  The row of each, kind_choice and so on, is in a file of its name,
 * tutor/kind_choice.c; those that share their code are in one. */
#define QUESTION_KINDS(ROW) \
    ROW(CHOICE, choice) \
    ROW(NUMBER, number) \
    ROW(LABEL, label) \
    ROW(RANK, rank) \
    ROW(ORDER, order) \
    ROW(TRANSFER, transfer) \
    ROW(MEND, mend) \
    ROW(LINE, line) \
    ROW(WIRING, wiring) \
    ROW(RULE, rule)

#define QUESTION_NAME(NAME, name) QUIZ_##NAME,
enum quiz_kind { QUESTION_KINDS(QUESTION_NAME) QUIZ_KINDS };
#undef QUESTION_NAME

enum { QUESTION_ITEMS = 6, QUESTION_HINTS = 3, QUESTION_LINES = 8 };

struct question_line {
    json_t *answer;
    const char *text;
};

struct question {
    json_t *said; /* the request, to which the texts belong */
    enum quiz_kind kind;
    const char *text;
    const char *items[QUESTION_ITEMS]; /* the choices, or what is to be put in
                                        * order */
    int nitems;
    int shown[QUESTION_ITEMS]; /* their numbers, from 1, as they are shown */
    struct question_line lines[QUESTION_LINES];
    int nlines;
    const char *hints[QUESTION_HINTS];
    int nhints;
    const char *why;   /* shown with the answer; NULL: nothing */
    const char *notes; /* for the speaker; NULL: none */
    int nranks; /* of the run that the question is about; 0: no run */
    int nslots, nsteps, nrows; /* of this run; of the lines that are shown; set
                                * by the caller */
    double within; /* a number may be wrong by this part of the truth */
    const char *unit; /* that it counts; NULL: us, B, GB/s or a fraction */
    bool reasons; /* the script says why an answer is wrong */
    int rank, slot; /* the slot that the question is about; -1: none */
    struct wiring wiring; /* the task to wire, or to state a rule for */
    bool predicts;  /* the run will give the answer */

    /* What the learner has done with it, which the tutor keeps. */
    json_t *first;   /* the first answer; NULL: none yet */
    int hinted;      /* number of hints shown before it */
    char *objection; /* why it is wrong: this is the second try; NULL: it is
                      * the first */
    int wired;       /* the run that is wired, or of a rule; -1: none */
    bool drafted;    /* its last step is being wired, and has not run */
    bool keeps;      /* it keeps its collective's promise */
    struct check_counts cost; /* and costs this, chunks for elements */
};

/* A wrong answer. */
struct slip {
    const json_t *given, *truth;
    const struct world *world; /* the run, when it shows `truth`; NULL: none */
    int now; /* the step at which the learner sees it */
};

/* A kind of question.  A comment says what happens where a function is NULL. */
struct question_kind {
    const char *name;
    bool chooses; /* the answer is one of the items, which are choices */
    bool votes;   /* a class may vote for it */
    const char *hint; /* where a vote is typed; NULL: what there is is shown */
    bool of_run;  /* it needs a run on the screen, */
    bool of_rows; /* or lines that can be pointed at */
    bool proved;  /* the proof judges it */
    bool notates; /* it speaks of transfers as they are written; if it is
                   * `of_run`, of those of this run */
    bool steps;   /* its answer is a list of steps, each a text */

    const char *items; /* the key of its items, from 2 on; NULL: it has none */
    int most_items;
    const char *samples; /* answers, a JSON list, of which some are wrong */

    /* Reads other keys of its own.  NULL: it has none. */
    bool (*read)(struct question *q, const json_t *with, struct err *err);

    /* The one form of an answer, in whatever way it was written; a new
     * reference.  NULL, with the reason in *err, if it is no answer. */
    json_t *(*form)(const struct question *q, const json_t *v,
                    struct err *err);

    /* The answer that a value of the script stands for, or NULL.  NULL: its
     * form. */
    json_t *(*meant)(const struct question *q, const json_t *said);

    /* Reads what is typed.  NULL: its form. */
    json_t *(*parse)(const struct question *q, const char *typed,
                     struct err *err);

    /* Appends an answer as people write it.  NULL: the answer is that text. */
    void (*text)(const struct question *q, const json_t *v, struct buf *out);

    /* Whether a given answer is right.  NULL: if its form is the truth's. */
    bool (*right)(const struct question *q, const json_t *given,
                  const json_t *truth);

    /* Refuses what the script gives as the truth.  NULL: whatever is an answer
     * may be true. */
    bool (*check_truth)(const struct question *q, const json_t *said,
                        struct err *err);

    /* Appends why an answer is wrong that the author of the lesson has not
     * foreseen: a sentence about what it would be in the run, which never says
     * what is right, or nothing.  NULL: nothing. */
    void (*reason)(const struct question *q, const struct slip *s,
                   struct buf *out);

    /* Puts a run of its own on the screen.  NULL: it has none. */
    bool (*show)(struct tutor *t, struct err *err);

    /* Whether a given answer is wrong; appends why.  NULL: a look ahead tells,
     * and nothing does so if the proof judges it. */
    bool (*objects)(struct tutor *t, const json_t *given, struct buf *out);

    /* Appends the verdict, which may need a run (tutor/verbs.h).  NULL:
     * tutor_add_verdict(). */
    bool (*verdict)(struct tutor *t, const struct verdict *v, struct buf *out,
                    struct err *err);

    /* Appends what one has to know to answer it, a paragraph.  NULL: it says so
     * itself. */
    void (*explain)(const struct question *q, struct buf *out);

    /* Appends room for an answer on paper, below the run's picture.  NULL: a
     * line. */
    void (*sheet)(const struct question *q, const struct world *run,
                  int columns, struct buf *out);
};

extern const struct question_kind *const question_kinds[QUIZ_KINDS];

#define QUESTION_ROW(NAME, name) extern const struct question_kind kind_##name;
QUESTION_KINDS(QUESTION_ROW)
#undef QUESTION_ROW

static inline const struct question_kind *
question_kind(const struct question *q)
{
    return question_kinds[q->kind];
}

/* For form(): an integer within these bounds, or NULL. */
json_t *question_integer(const json_t *v, int least, int most);

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

/* The same for an answer as it was typed, or as question_answer_text() writes
 * it: "2" and "GPU 2". */
bool question_text_is_right(const struct question *q, const char *text,
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
