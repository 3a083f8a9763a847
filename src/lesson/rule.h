/* SPDX-License-Identifier: MIT */
/* A rule: an algorithm for any number of GPUs, in one line that a learner
 * types.
 *
 *     k=1..n-1: chunk r-k to r+1, add; k=n..2n-2: chunk r-k to r+1, replace
 *     k=1..log2(n): if r < 2^(k-1): chunk 0 to r+2^(k-1)
 *
 * In step k, each GPU r sends its slot of that number to that GPU, which adds
 * it or replaces its own.  Numbers are modulo n, the number of GPUs, or of
 * slots; log2 rounds up.  Parts follow one another.  Without k=, k goes from 1
 * to n-1; without add or replace, a collective that reduces adds. */
#ifndef LESSON_RULE_H
#define LESSON_RULE_H

#include "lesson/wiring.h"

enum { RULE_BYTES = 200 };

/* Appends the rule as an algorithm script (play/author.h).  Returns false, with
 * the reason in *err, if it cannot be read; what its formulas give, the script
 * finds out. */
bool rule_script(const struct wiring *w, const char *rule, struct buf *out,
                 struct err *err);

#endif
