/* SPDX-License-Identifier: MIT */
/* The terminal as a screen: shows canvases, waits for keys.  Only screen.c uses
 * curses.
 *
 *     if (!screen_open(&screen, &err)) ...plain text instead...
 *     screen_draw(screen, &canvas);
 *     switch (screen_wait(screen, fd, timeout_ms, &key)) ...
 *     screen_close(screen);
 *
 * Between open and close the terminal is restored however the process ends: an
 * undo action is registered with base/signals.h.  There is one screen at a
 * time. */
#ifndef TERM_SCREEN_H
#define TERM_SCREEN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/terminal.h"
#include "draw/canvas.h"

enum screen_event {
    SCREEN_KEY,     /* *key is a character, or one of enum screen_key */
    SCREEN_RESIZED, /* or everything must be drawn again */
    SCREEN_OTHER,   /* another file descriptor is readable */
    SCREEN_TIMEOUT,
    SCREEN_READY, /* the terminal accepts output again */
    SCREEN_SIGNAL /* a signal asks to end: signals_ending(), base/signals.h */
};

struct screen;
struct serve;

/* The known facts about the terminal. */
struct screen_facts {
    int columns, rows;
    bool console;     /* the Linux console, which has only the characters of
                       * code page 437 */
    bool colourless;  /* it has no colours, or NO_COLOR is set */
    enum ground ground; /* as COLORFGBG says it, or the terminal does some time
                         * after it was opened; dark until then.  A change is
                         * reported as SCREEN_RESIZED */
    struct point pointed; /* where the mouse last clicked or turned its wheel */
    struct serve *serve;  /* who serves browsers that follow; NULL: nobody */
};

/* Whether a screen is possible. If not, *err says why: stdin or stdout is not a
 * terminal, or the terminal cannot address its cursor. */
bool screen_can(struct err *err);

/* Returns false if no screen is possible. The locale must be set before. */
bool screen_open(struct screen **screen, struct err *err);
void screen_close(struct screen *screen);

/* Valid until it is closed. */
const struct screen_facts *screen_facts(const struct screen *screen);

/* Shows a canvas: writes the cells that changed. While the terminal accepts no
 * output, does nothing and returns false; screen_wait() returns SCREEN_READY
 * when the terminal accepts output again. */
bool screen_draw(struct screen *screen, const struct canvas *canvas);

/* Browsers follow this screen (web/serve.h): who serves them, borrowed, and
 * the eventfd() that says that there is news of them. */
void screen_follow(struct screen *screen, struct serve *serve, int fd);

/* Whether screen_wait() would return a key at once. */
bool screen_has_key(struct screen *screen);

/* Waits for an event; other_fd and timeout_ms may be -1 for none.  The first
 * call starts to listen for signals that ask to end. */
enum screen_event screen_wait(struct screen *screen, int other_fd,
                              int timeout_ms, int *key);

#endif
