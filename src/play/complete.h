/* SPDX-License-Identifier: MIT */
/* How a change of the run (the key `a`) may go on: the words that complete the
 * last word of a text.
 *
 *     complete_change("--gpus 5 --ty", &c);    c.words: --type
 *     completion_done(&c);
 */
#ifndef PLAY_COMPLETE_H
#define PLAY_COMPLETE_H

#include <stddef.h>

struct completion {
    size_t from;  /* where the last word begins, in bytes */
    char **words; /* each begins with the last word */
    size_t count, capacity;
};

/* Algorithms, options that `a` can change, or the values of the option before
 * the last word; none if any text is possible. */
void complete_change(const char *text, struct completion *c);
void completion_done(struct completion *c);

#endif
