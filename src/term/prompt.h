/* SPDX-License-Identifier: MIT */
/* A line of text that the user types at the bottom of the screen. The prompt
 * handles keys and text; it does not know the question, and does not draw.
 *
 *     prompt_open(&p, _("go to step:"));
 *     if (prompt_key(&p, key) == PROMPT_ENTERED) ... p.typed ...
 */
#ifndef TERM_PROMPT_H
#define TERM_PROMPT_H

#include <stdbool.h>

enum { PROMPT_MAX = 256 };

struct prompt {
    bool open;
    const char *label;         /* borrowed */
    char typed[PROMPT_MAX];    /* the text typed so far */
    char text[2 * PROMPT_MAX]; /* the label and what is typed, to be shown */
};

enum prompt_answer {
    PROMPT_GOES_ON,
    PROMPT_ENTERED, /* the prompt stays open: the text may be refused */
    PROMPT_LEFT     /* the prompt is closed */
};

void prompt_open(struct prompt *p, const char *label);

/* Takes a key (base/screen_key.h): a character, Backspace, Enter, Escape,
 * Ctrl-W (deletes a word) or Ctrl-U (deletes all). Ignores other keys. */
enum prompt_answer prompt_key(struct prompt *p, int key);

#endif
