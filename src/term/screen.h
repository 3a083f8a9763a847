/* SPDX-License-Identifier: MIT */
/* The terminal as a screen: shows canvases, waits for keys.  Its .c is the
 * only file that knows curses.
 *
 *     if (!screen_open(&screen, &err)) ...plain text instead...
 *     screen_draw(screen, &canvas);
 *     switch (screen_wait(screen, fd, timeout_ms, &key)) ...
 *     screen_close(screen);
 *
 * Between open and close the terminal is made whole again whatever ends the
 * process (term/rescue.h). There is one screen at a time. */
#ifndef TERM_SCREEN_H
#define TERM_SCREEN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/screen_key.h"
#include "draw/canvas.h"

enum screen_event {
    SCREEN_KEY,     /* *key: a character, or one of enum screen_key */
    SCREEN_RESIZED, /* or all has to be drawn again */
    SCREEN_OTHER,   /* the other file descriptor is readable */
    SCREEN_TIMEOUT,
    SCREEN_READY, /* what could not be drawn can be now */
    SCREEN_SIGNAL /* one asks to end: signals_ending(), base/signals.h */
};

struct screen;

/* False, with the reason, where there can be none: stdin or stdout is no
 * terminal, or the terminal can not address its cursor. */
bool screen_can(struct err *err);

/* False where there can be none. The locale must have been set. */
bool screen_open(struct screen **screen, struct err *err);
void screen_close(struct screen *screen);

void screen_size(const struct screen *screen, int *columns, int *rows);

/* Whether the characters of code page 437 are all there are: the Linux
 * console. */
bool screen_is_console(const struct screen *screen);

/* The cell where the mouse was, at its last key. */
struct point screen_pointed(const struct screen *screen);

/* Shows it, whole or what differs from what is shown. Does nothing, and
 * returns false, while the terminal takes nothing in; screen_wait() ends
 * (SCREEN_READY) when it does again. */
bool screen_draw(struct screen *screen, const struct canvas *canvas);

/* Whether a key has come already that screen_wait() will give. */
bool screen_has_key(struct screen *screen);

/* Waits for what comes first; other_fd and timeout_ms may be -1.  From the
 * first time on signals that ask to end are listened for. */
enum screen_event screen_wait(struct screen *screen, int other_fd,
                              int timeout_ms, int *key);

#endif
