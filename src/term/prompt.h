/* SPDX-License-Identifier: MIT */
/* A line of text that the user types at the bottom of the screen. The prompt
 * handles keys and text; it does not know the question, and does not draw.
 *
 *     prompt_open(&p, _("go to step:"), &history);
 *     if (prompt_key(&p, key) == PROMPT_ENTERED) ... p.typed ...
 */
#ifndef TERM_PROMPT_H
#define TERM_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

enum { PROMPT_MAX = 256, PROMPT_REMEMBERED = 50 };

/* The lines entered before, the oldest first.  A zeroed one is empty. */
struct prompt_history {
    char lines[PROMPT_REMEMBERED][PROMPT_MAX];
    int count;
};

struct prompt {
    bool open;
    const char *label;         /* borrowed */
    const struct prompt_history *history; /* borrowed; NULL: none */
    int recalled;              /* its line that is shown; its count: none */
    char draft[PROMPT_MAX];    /* what was typed before a line was recalled */
    char typed[PROMPT_MAX];    /* the text typed so far */
    char text[2 * PROMPT_MAX]; /* the label and what is typed, to be shown */
};

enum prompt_answer {
    PROMPT_GOES_ON,
    PROMPT_ENTERED, /* the prompt stays open: the text may be refused */
    PROMPT_LEFT     /* the prompt is closed */
};

void prompt_open(struct prompt *p, const char *label,
                 const struct prompt_history *history);

/* Takes a key (base/terminal.h): a character, typed or pasted, Backspace,
 * Enter, Escape, Ctrl-W (deletes a word), Ctrl-U (deletes all), Up or Down
 * (lines entered before). Ignores other keys. */
enum prompt_answer prompt_key(struct prompt *p, int key);

/* Whether a key deletes something of the text. */
bool prompt_edits(int key);

/* Remembers a line, unless it is the same as the last one. */
void prompt_remember(struct prompt_history *history, const char *line);

/* Replaces the text from byte `from` on by what all words begin with, and adds
 * a blank if there is only one word.  All words begin with that text. */
void prompt_complete(struct prompt *p, size_t from, char *const *words,
                     size_t nwords);

#endif
