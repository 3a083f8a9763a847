/* SPDX-License-Identifier: MIT */
/* Did you mean: the words that are nearest to a misspelt one.
 *
 *     struct near n = {.word = "rign-allreduce"};
 *     near_try(&n, "ring-allreduce");
 *     near_try(&n, "tree-allreduce");
 *     near_add(&n, "; ", "", &text);        "; did you mean ring-allreduce?"
 */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stdbool.h>

#include "base/buf.h"

enum { NEAR_MOST = 3, NEAR_BYTES = 64 };

struct near {
    const char *word;
    char found[NEAR_MOST][NEAR_BYTES]; /* the nearest, all as far away */
    int count, distance;
};

/* Letters to be inserted, left out, replaced, or exchanged with their neighbour
 * to make one word of the other; capitals and underscores count as small
 * letters and hyphens.  More than any word has, where one of them has
 * NEAR_BYTES or more. */
int near_distance(const char *one, const char *other);

/* Considers a word: it is near if a third of it or less is wrong, at most 3
 * letters, or if what was typed is its beginning. */
void near_try(struct near *n, const char *word);

/* Considers one spelling of what would be proposed by another name. */
void near_try_as(struct near *n, const char *spelling, const char *proposal);

/* Appends `before`, then "did you mean a, b or c?", each with `prefix` before
 * it. False, and nothing, where no word is near. */
bool near_add(const struct near *n, const char *before, const char *prefix,
              struct buf *out);

/* Appends that for a list of words, which a NULL ends, or, where none is near,
 * "there is a, b, c". */
void near_among(const char *word, const char *const *words, struct buf *out);

#endif
