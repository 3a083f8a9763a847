/* SPDX-License-Identifier: MIT */
/* The screen as every part of this room uses it: a canvas of the screen's size,
 * frames at a steady pace, and waiting for what comes next.
 *
 *     stage_init(&s, screen, ascii, ROLE_WATCH);
 *     do {
 *         if (stage_wants_frame(&s)) {
 *             ... draw on stage_canvas(&s) ...
 *             stage_show(&s);
 *         }
 *         switch (stage_wait(&s, fd, due_ns, moves, &key)) ...
 *     } while (...);
 *     stage_done(&s);
 *
 * A key's effect is shown at once.  If keys arrive faster than they can be
 * shown, a frame is drawn now and then.  While the terminal takes nothing in,
 * none is drawn. */
#ifndef SCREEN_STAGE_H
#define SCREEN_STAGE_H

#include <stdint.h>

#include "base/glyph_set.h"
#include "draw/canvas.h"
#include "term/screen.h"

struct stage {
    struct screen *screen; /* borrowed */
    enum glyph_set glyphs;
    bool colourless;
    struct canvas canvas;
    bool stale;   /* what the screen shows is out of date */
    bool hurry;   /* the next frame is drawn at once */
    bool blocked; /* the terminal takes nothing in for now */
    int64_t drawn_ns;
};

/* `ascii`: --ascii was given; `accent`: what ROLE_ACCENT is on the canvas. */
void stage_init(struct stage *s, struct screen *screen, bool ascii,
                enum role accent);
void stage_done(struct stage *s);

/* The canvas, in the screen's present size. */
struct canvas *stage_canvas(struct stage *s);

/* Shows what was drawn on it. */
void stage_show(struct stage *s);

/* Marks the screen as out of date and has the next frame drawn at once.  A key
 * has the same effect. */
void stage_hurry(struct stage *s);

/* Whether it is time for another frame. */
bool stage_wants_frame(const struct stage *s);

/* Waits for a key, a signal, `fd` (-1: none), or the time due_ns (of
 * base/clock.h; INT64_MAX: none).  If the picture `moves`, it also returns when
 * the next frame is due.  A click on a button of the canvas is its key. */
enum screen_event stage_wait(struct stage *s, int fd, int64_t due_ns,
                             bool moves, int *key);

#endif
