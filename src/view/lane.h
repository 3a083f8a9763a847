/* SPDX-License-Identifier: MIT */
/* The lanes of a race: several runs side by side, all at the same time.
 *
 *     all-reduce of float32 on 4 ranks, 32 B a rank   modelled: 4 GPUs on pcie
 *     ring                    step 3/6 | tree                          step 2/7
 *     ########........ 6.1 us modelled | #######........... 7.2 us modelled
 *     here: 71 ns, level; sent: ...    | here: 73 ns, level; sent: ... */
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
    bool level, here_level; /* another lane takes as long, as far as can be
                             * told; the same on this machine */
};

/* Draws the title and the network, and lanes side by side or, if they are wider
 * then and high enough, in two rows, four as 2 x 2; in more rows if they would
 * be too narrow.  On a canvas that is too small, draws only a message. */
void lanes_draw(const char *title, const struct lane *lanes, int n,
                struct canvas *c);

/* What the help of a race explains: its keys, and the views in the lanes. */
struct help lanes_help(const struct lane *lanes, int n,
                       const struct canvas *c);

/* Draws the keys in the last row, and the speed: time passes `slower` times
 * slower than it did in the runs; `speed` is as in a scene. */
void lanes_draw_keys(const struct lane *lanes, double slower, int speed,
                     bool playing, struct canvas *c);

#endif
