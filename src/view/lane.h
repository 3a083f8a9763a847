/* SPDX-License-Identifier: MIT */
/* Several runs side by side, at one moment of a race. */
#ifndef VIEW_LANE_H
#define VIEW_LANE_H

#include "draw/canvas.h"
#include "model/scene.h"

struct lane {
    struct scene scene;
    const char *name;  /* of the algorithm */
    int64_t ns, of_ns; /* gone by, and what the whole run takes */
    int place;         /* 1: first at the end; 0: not there yet */
};

/* Lanes are columns where they are wide enough, else rows. Says what it needs
 * on a canvas that is too small. */
void lanes_draw(const struct lane *lanes, int n, struct canvas *c);

/* The keys, below, and how fast time goes by: `slower` times slower than it
 * did. */
void lanes_draw_keys(const struct lane *lanes, double slower, bool playing,
                     struct canvas *c);

#endif
