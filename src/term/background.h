/* SPDX-License-Identifier: MIT */
/* Whether the terminal's background is dark or light.  The terminal is asked
 * for its colour (OSC 11 of xterm) and then what it is (DA1), and replies
 * between the keys:
 *
 *     ESC ] 11;rgb:ffff/ffff/ffff ESC \            or BEL at its end
 *     ESC [ ? 62 ; 22 c
 *
 * Some terminals never reply to the first question, but all reply to the
 * second, and replies come in order.  So after the second reply none is on its
 * way, and it is safe to leave the terminal to a shell.
 *
 * Escape and ] or [ can also be keys that were typed.  What follows shows it,
 * and then all of them are keys. */
#ifndef TERM_BACKGROUND_H
#define TERM_BACKGROUND_H

#include <stdbool.h>

#include "draw/palette.h"

/* The background that COLORFGBG says ("15;0"); dark if it says nothing. */
enum ground background_expected(void);

extern const char background_query[];

/* A reply while it arrives, character by character. */
struct background_reply {
    char text[64]; /* what follows ESC ] or ESC [ ? */
    int length;
    bool open;
    bool last; /* to the second question */
};

/* Begins a reply: ESC ] have been read or, for the last one, ESC [ ?. */
void background_begin(struct background_reply *r, bool last);

enum background_got {
    BACKGROUND_MORE,
    BACKGROUND_OVER,  /* complete, or no reply that we know */
    BACKGROUND_KNOWN, /* complete, and *ground is set */
    BACKGROUND_KEYS   /* no reply: r->text and the character are keys */
};

/* Takes the next character of an open reply. */
enum background_got background_take(struct background_reply *r, int c,
                                    enum ground *ground);

#endif
