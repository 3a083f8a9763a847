/* SPDX-License-Identifier: MIT */
/* Where the rows are a little too few for all ranks, the view stages shows a
 * window on those around the selected one:
 *
 *         input   1 apart        heads
 *     GPU 0   A ────▲─ +AB       most of the ranks
 *     GPU 1   B ────▼─ +AB
 *     ... +2                     how many there are besides, on their side
 *
 * All ranks are drawn on a canvas of their own, of which a part is shown. */
#ifndef VIEW_STAGES_WINDOW_H
#define VIEW_STAGES_WINDOW_H

#include "draw/canvas.h"
#include "model/scene.h"

struct stages_window {
    int nranks;
    int count, first;  /* ranks shown */
    struct rect whole; /* the area that all ranks need */
};

/* Sets *w.  All ranks are shown, and w->whole is the area, if there is room, or
 * if there is too little for a window. */
void stages_window(struct stages_window *w, const struct scene *s,
                   struct rect area);

/* Draws the part of `whole` that the window shows. */
void stages_window_draw(const struct stages_window *w,
                        const struct canvas *whole, struct canvas *c,
                        struct rect area);

#endif
