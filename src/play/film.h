/* SPDX-License-Identifier: MIT */
/* A film of a recording: the frames that the screen would show, one after
 * another, if somebody pressed `p`, each with its time, and without the keys in
 * the last row.  The player steps and
 * frame_draw() draws as on the screen; only the clock is simulated.
 *
 *     film_init(&f, &session, 80, 24, GLYPHS_FULL);
 *     film_last(&f, 8);                  not as long as it takes, but 8 s
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
    int view, beside, selected; /* as in a scene; at first -1, 0 and 0 */
    int64_t ms; /* since the film began; after the last frame: its length */
    int64_t ns; /* the player's time: not rounded, or nothing would land */
    double pace; /* the player's time in that of the film; at first 1 */
    bool begun;
};

/* The session must hold the whole recording; it is borrowed. */
void film_init(struct film *f, struct session *session, int columns, int rows,
               enum glyph_set glyphs);
void film_done(struct film *f);

/* Has the film take so many seconds: it plays faster or slower.  Call it before
 * the first frame. */
void film_last(struct film *f, int seconds);

/* Draws the next frame.  Returns false after the last one. */
bool film_next(struct film *f);

/* What the present frame shows. */
struct scene film_scene(const struct film *f);

/* Draws a single frame: the state after a complete step; 0: the input. */
void film_still(struct film *f, int step);

#endif
