/* SPDX-License-Identifier: MIT */
/* Why an answer is wrong, where the author of the lesson has not foreseen it:
 * what it would be in the run.
 *
 *     That is 2N, twice the number of GPUs.
 *     Slot 1 of GPU 2 holds that after step 3.
 *     In step 2 GPU 1 receives from GPU 0; then it holds A0+C0, B1, B2.
 *
 * It never says what is right. */
#ifndef TUTOR_REASON_H
#define TUTOR_REASON_H

#include "lesson/quiz.h"
#include "model/world.h"

/* Adds a sentence.  `w` is the run, at the moment at which it shows `truth`, or
 * NULL; `now` is the step at which the learner sees it. */
void reason_add(const struct quiz *q, const json_t *given, const json_t *truth,
                const struct world *w, int now, struct buf *out);

#endif
