/* SPDX-License-Identifier: MIT */
/* The lanes of a race: several runs side by side, all at the same time. */
#ifndef VIEW_LANE_H
#define VIEW_LANE_H

#include "view/help.h"

struct lane {
    struct scene scene;
    const char *name;  /* of the algorithm */
    int64_t ns, of_ns; /* time since the start, duration of the whole run */
    int64_t here_ns;   /* its duration on this machine, if the others are
                        * modelled; else 0 */
    int place;         /* 1 for the winner; 0 if it has not finished yet */
};

/* Draws lanes side by side or, if they are wider then and high enough, in two
 * rows, four as 2 x 2; in more rows if they would be too narrow.  On a canvas
 * that is too small, draws only a message. */
void lanes_draw(const struct lane *lanes, int n, struct canvas *c);

/* What the help of a race explains: its keys, and the views in the lanes. */
struct help lanes_help(const struct lane *lanes, int n,
                       const struct canvas *c);

/* Draws the keys in the last row, and the speed: time passes `slower` times
 * slower than it did in the runs; `speed` is as in a scene. */
void lanes_draw_keys(const struct lane *lanes, double slower, int speed,
                     bool playing, struct canvas *c);

#endif
