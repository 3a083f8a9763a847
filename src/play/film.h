/* SPDX-License-Identifier: MIT */
/* A film of a recording: the frames that the screen would show, one after
 * another, if somebody pressed `p`, with the time of each.  The player steps,
 * frame_draw() draws; only the clock is ours.
 *
 *     film_init(&f, &session, 80, 24, GLYPHS_FULL);
 *     while (film_next(&f))
 *         ... f.canvas, shown from f.ms on ...
 *     film_done(&f);
 */
#ifndef PLAY_FILM_H
#define PLAY_FILM_H

#include "draw/canvas.h"
#include "play/player.h"

struct film {
    struct player player;
    struct canvas canvas; /* the present frame */
    enum glyph_set glyphs;
    int64_t ms; /* since the film began; behind the last frame: its length */
    bool begun;
};

/* The session must hold all of the recording; it is borrowed. */
void film_init(struct film *f, struct session *session, int columns, int rows,
               enum glyph_set glyphs);
void film_done(struct film *f);

/* The next frame. False behind the last one. */
bool film_next(struct film *f);

/* A single frame: the state after a step that is complete; 0: the input. */
void film_still(struct film *f, int step);

#endif
