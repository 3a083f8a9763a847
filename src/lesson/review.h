/* SPDX-License-Identifier: MIT */
/* What was missed comes back: after a day, then after 3 days, then after 7.  A
 * question that is missed again begins anew.  The plan of a lesson is kept with
 * its progress (lesson/progress.h), a list of
 *
 *     {"question":3,"round":1,"due":1763800000}
 *
 * `question` counts all questions of the lesson from 0, `due` is in seconds
 * since 1970.  A plan that was read from a file may hold anything. */
#ifndef LESSON_REVIEW_H
#define LESSON_REVIEW_H

#include <jansson.h>
#include <stdbool.h>
#include <time.h>

enum { REVIEW_ROUNDS = 3 };

struct review {
    int question;
    int round; /* 1 to REVIEW_ROUNDS */
    time_t due;
};

/* Plans the first round of a missed question, unless one is planned already. */
void review_plan(json_t *plan, int question, time_t now);

/* How the review of a question has ended. */
enum review_result {
    REVIEW_RIGHT,  /* the next round is planned; nothing after the last */
    REVIEW_MISSED, /* the first round is planned again */
    REVIEW_GONE    /* the lesson no longer has the question: it is forgotten */
};

/* Plans what follows from the result.  `asked` is the entry that was asked; if
 * the plan no longer has it, another collviz has changed the plan in the
 * meantime, and the result is ignored. */
void review_ended(json_t *plan, const struct review *asked,
                  enum review_result result, time_t now);

/* The entry that is due first. Returns false if the plan has none. */
bool review_first(const json_t *plan, struct review *first);

/* The number of entries that are due. */
int review_count(const json_t *plan, time_t now);

#endif
