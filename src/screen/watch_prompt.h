/* SPDX-License-Identifier: MIT */
/* Questions that the user answers in the last line: which step to go to, how
 * to change the run, which file to write. */
#ifndef SCREEN_WATCH_PROMPT_H
#define SCREEN_WATCH_PROMPT_H

#include "screen/watch_state.h"

struct question;
extern const struct question watch_step, watch_change, watch_file;

/* Opens the prompt with a question. */
void watch_ask(struct watch *w, const struct question *question);

/* Takes a key while the prompt is open.  A line that is refused stays there, so
 * that it can be corrected. */
void watch_prompt_key(struct watch *w, int key);

#endif
