/* SPDX-License-Identifier: MIT */
/* "Did you mean": finds the words that are nearest to a misspelt one.
 *
 *     struct near n = {.word = "rign-allreduce"};
 *     near_try(&n, "ring-allreduce");
 *     near_try(&n, "tree-allreduce");
 *     near_add(&n, "", &text);        "; did you mean ring-allreduce?"
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stdbool.h>

#include "base/buf.h"

enum { NEAR_MOST = 3, NEAR_BYTES = 64 };

struct near {
    const char *word;
    char found[NEAR_MOST][NEAR_BYTES]; /* the nearest, all equally near */
    int count, distance;
};

/* The number of letters to insert, remove, replace, or swap with their
 * neighbour to turn one word into the other.  Case does not matter, and an
 * underscore equals a hyphen.  If a word has NEAR_BYTES or more, the result is
 * larger than any distance. */
int near_distance(const char *one, const char *other);

/* Considers a word.  It is near if at most a third of it, and at most 3
 * letters, are wrong, or if it begins with the misspelt word. */
void near_try(struct near *n, const char *word);

/* Considers a spelling; if it is near, `proposal` is proposed instead. */
void near_try_as(struct near *n, const char *spelling, const char *proposal);

/* Appends "; did you mean a, b or c?", each with `prefix` before it, or nothing
 * if no word is near. */
void near_add(const struct near *n, const char *prefix, struct buf *out);

/* Appends "did you mean a or b?" for a list of words that ends with NULL; if
 * none is near, "it must be a, b or c". */
void near_among(const char *word, const char *const *words, struct buf *out);

/* What stands before word `i` of a list of `count`: nothing, ", ", or `last`,
 * as in "a, b and c". */
const char *near_before(int i, int count, const char *last);

#endif
