/* SPDX-License-Identifier: MIT */
/* What a learner did with one question, as it is kept (lesson/progress.h).  An
 * answer that was given at once, without a hint, is kept as it is; otherwise
 *
 *     {"first":2,"last":1,"hints":1}
 *     {"hints":1}      left after a hint, without an answer
 *
 * The first answer counts.  `last` is that of the second try. */
#ifndef LESSON_ATTEMPT_H
#define LESSON_ATTEMPT_H

#include <jansson.h>

struct attempt {
    const json_t *first; /* null: "I don't know"; NULL: not answered yet */
    const json_t *last;  /* null as above; never NULL */
    int hints; /* number of hints that were shown before the first answer */
};

/* Reads what attempt_write() has written, and any other value without harm.
 * The answers belong to `kept`; NULL: the question was not reached. */
struct attempt attempt_read(const json_t *kept);

/* Returns a new reference. */
json_t *attempt_write(struct attempt a);

#endif
