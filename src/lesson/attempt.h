/* SPDX-License-Identifier: MIT */
/* How a question went: what is kept of it in a learner's progress. */
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
