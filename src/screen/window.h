/* SPDX-License-Identifier: MIT */
/* A screen and its loop.  The kind of the window is what is its own: what it
 * draws, what its keys do, and what happens to it without a key.  The loop does
 * what all have in common: frames at a steady pace, waiting, the help, notices,
 * and the lines that are typed, over the last row.
 *
 *     static const struct window_kind kind = {
 *         .draw = draw, .help = help_of, .request = request, ...};
 *     window_run(&r.window, screen, ascii, &kind, &r, err)
 *
 * A window that runs another one stays below it until that is over.
 *
 * The loop lives on while a window has something done that takes long, as a
 * script or making ranks (base/waiter.h): it says what that is, Esc stops it, q
 * does so, too, and then what it does otherwise.  Other keys are kept for
 * afterwards, and clicks with what they were on.
 *
 * A key's effect is shown at once.  If keys arrive faster than they can be
 * shown, a frame is drawn now and then.  While the terminal takes nothing in,
 * none is drawn. */
#ifndef SCREEN_WINDOW_H
#define SCREEN_WINDOW_H

#include <stdint.h>

#include "play/options.h"
#include "term/prompt.h"
#include "term/screen.h"
#include "view/keys.h"

/* The things that a window waits for besides keys. */
struct pause {
    int64_t due_ns; /* INT64_MAX: nothing */
    int fd;         /* -1: none */
    bool moves;     /* what is drawn moves (struct canvas) */
};

/* Each function gets the `self` of window_run().  All but draw and request may
 * be NULL.  Those that return false set *err, which ends the window. */
struct window_kind {
    enum role accent; /* what ROLE_ACCENT is on the canvas */

    /* Draws on a canvas of the screen's size.  Returns false if there is
     * nothing to show yet. */
    bool (*draw)(void *self, struct canvas *c);

    /* What its help explains, which also says whose keys it has, and in which
     * state; NULL: those of `on`, and no help. */
    struct help (*help)(void *self, const struct canvas *c);
    enum key_screen on;

    /* Carries out what a key asks for; request 0: nothing (`key` of the window
     * is the key). */
    bool (*request)(void *self, int request, struct err *err);

    /* Prepares the rest once the first frame shows; this may take seconds. */
    bool (*start)(void *self, struct err *err);

    /* Moves it to the time `now` (base/clock.h). */
    bool (*advance)(void *self, int64_t now, struct err *err);

    struct pause (*pause)(const void *self, int64_t now);
};

/* A question that is answered in a typed line.  Texts are not yet translated.
 * `enter` takes what was typed, or refuses it; `complete` finds how its last
 * word may go on (NULL: Tab does nothing). */
struct ask {
    const char *label, *hint;
    bool (*enter)(void *self, const char *typed, struct err *err);
    void (*complete)(const char *text, struct completion *c);
};

/* A key, and what a click was on when it came. */
struct pressed {
    int key;
    struct target hit;
};

struct window {
    struct screen *screen; /* borrowed */
    const struct window_kind *kind;
    void *self;
    struct canvas canvas;
    int key;           /* the last one pressed, */
    struct target hit; /* and what it was a click on */
    bool over;         /* the window closes */
    int help;          /* the page that shows; 0: none */
    struct err notice; /* shown until the next key; "": none */
    bool alarm;        /* the notice is an error */
    struct prompt prompt;
    const struct ask *question; /* what the prompt asks */
    struct prompt_history *history;  /* of its answers, or NULL */
    char replaced[PROMPT_MAX]; /* as in publish_may_write() */
    int64_t computing_ns; /* since when something does; 0: nothing */
    int stopped;          /* the key that has stopped it; 0: none */
    struct pressed ahead[32]; /* meanwhile, for later */
    int nahead;
    bool stale;   /* what the screen shows is out of date */
    bool hurry;   /* the next frame is drawn at once */
    bool blocked; /* the terminal takes nothing in for now */
    int64_t drawn_ns;
};

/* Runs a window until it is over or a signal asks to end (base/signals.h).
 * `screen` NULL: one that is opened for it; `ascii`: --ascii was given.  *w is
 * zeroed, or has what it shows at its beginning.  Returns false, with the
 * reason in *err and the terminal restored, if one of its functions failed or
 * there is no screen. */
bool window_run(struct window *w, struct screen *screen, bool ascii,
                const struct window_kind *kind, void *self, struct err *err);

/* The signs that a screen can show; `ascii`: --ascii was given. */
enum glyph_set window_glyphs(const struct screen *screen, bool ascii);

/* Shows a notice above the last row; "": none.  window_notice() returns NULL if
 * there is none, and window_notice_rows() how many rows it covers. */
void window_notify(struct window *w, bool alarm, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
const char *window_notice(const struct window *w);
int window_notice_rows(const struct window *w);

/* Asks a question.  A line that is refused stays there, so that it can be
 * corrected; others are added to the history, which may be NULL. */
void window_ask(struct window *w, const struct ask *question,
                struct prompt_history *history);

/* Carries out what all screens do alike: the help, and the end. */
void window_answer(struct window *w, int request);

/* Shows a notice at once, for as long as something takes. */
void window_busy(struct window *w, const char *text);

/* Has the next frame drawn at once.  A key has the same effect. */
void window_hurry(struct window *w);

#endif
