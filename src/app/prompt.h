/* SPDX-License-Identifier: MIT */
/* A line at the bottom of the screen in which something is typed. It knows
 * keys and text, neither what is asked for nor how it is drawn.
 *
 *     prompt_open(&p, _("go to step:"));
 *     if (prompt_key(&p, key) == PROMPT_ENTERED) ... p.typed ...
 */
#ifndef APP_PROMPT_H
#define APP_PROMPT_H

#include <stdbool.h>

enum { PROMPT_MAX = 256 };

struct prompt {
    bool open;
    const char *label;         /* borrowed */
    char typed[PROMPT_MAX];    /* so far */
    char text[2 * PROMPT_MAX]; /* the label and what is typed, to be shown */
};

enum prompt_answer {
    PROMPT_GOES_ON,
    PROMPT_ENTERED, /* it stays open: what was typed may be refused */
    PROMPT_LEFT     /* it is closed */
};

void prompt_open(struct prompt *p, const char *label);

/* Takes a key (term/screen.h): characters, Backspace, Ctrl-W and Ctrl-U for a
 * word and all, Enter, Escape. Any other key is ignored. */
enum prompt_answer prompt_key(struct prompt *p, int key);

#endif
