/* SPDX-License-Identifier: MIT */
/* The current step and the next one, described in sentences. */
#ifndef TEXT_WORDS_H
#define TEXT_WORDS_H

#include "model/scene.h"
#include "schedule/pattern.h"

/* "GPU 0 sends A2 to GPU 1, which adds it to B2. Each sends to the next."
 * In the past tense when the step is over.  The second sentence says what all
 * ranks do, or how many transfers there are.  It is shorter,
 * or left out, if the text would take more than `columns` columns. */
void words_now(const struct scene *s, int columns, struct buf *out);

/* Appends the longest sentence about what all ranks do in a step
 * with this pattern that takes at most `columns`: "Every GPU sends a chunk to
 * the next and adds what it receives."  Returns false if there is none. */
bool words_all_ranks(const struct pattern *p, const struct schedule *s,
                     enum redop op, bool past, int columns, struct buf *out);

/* "next: GPU 0 sends A1+C1 to GPU 1", and what all ranks do then if it differs
 * from the step that is shown and `columns` columns have room for it.  While a
 * step is awaited for long: "waiting for GPU 2", if GPU 2 holds the run up
 * (model/holdup.h).  At the end, or if a rank waits for ever: why; the caller
 * is to say that the run is correct, WRONG or hangs. */
enum words_tone { WORDS_PLAIN, WORDS_CORRECT, WORDS_WRONG, WORDS_HANGS };
enum words_tone words_next(const struct scene *s, int columns,
                           struct buf *out);

/* The ranks that a run that has stood still for `awaited_ns` waits for, and
 * those that each of the others waits for: "waiting for GPU 2; GPU 0 waits for
 * GPU 2, GPU 1 waits for GPU 0".  Nothing if that is unknown. */
void words_waiting(const struct scene *s, struct buf *out);

/* What is wrong with a result, in the reader's language: "GPU 1, chunk 0,
 * element 2: expected 24, found 12".  wrong_text() has it in English, with
 * "rank". */
void words_wrong(const struct schedule *s, const struct wrong *w,
                 struct buf *out);

#endif
