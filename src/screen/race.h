/* SPDX-License-Identifier: MIT */
/* A race on the screen: what was compared, run once more and watched, then
 * shown in lanes, on one clock, slowed down alike.
 *
 *     all-reduce of float32 on 8 GPUs, 64 B each      modelled: 8 GPUs on pcie
 *     ring        ######I.................   14.0 us  step 3/14
 *     tree        ######I..........          10.0 us   step 1/6
 *     butterfly   #####I                     3.00 us    place 1
 *                 0      3.51 us    14.0 us modelled
 *     ring   here: 277 ns; sent: 24 B | tree     here: 31 ns; sent: 64 B of ...
 *
 * All bars have one time scale, and the clock is a line through them.  Below,
 * each lane has a picture, or if it is too narrow for names a heat map; where a
 * place is left over, it has the ranking.
 *
 * The clock is a network's, or with --network none this machine's: then steps
 * come in the order and at the share of the time that they had when they were
 * watched, and the whole takes what it took unwatched. */
#ifndef SCREEN_RACE_H
#define SCREEN_RACE_H

#include "draw/canvas.h"
#include "model/scene.h"
#include "play/compare.h"

/* Shows the race until the user quits, or a signal comes.  Returns false, with
 * the terminal whole again, if a run failed. */
bool race(struct comparison *c, bool ascii, struct err *err);

struct lane {
    struct scene scene;
    const struct view *view; /* that was drawn; NULL: none was */
    const char *name;  /* of the algorithm */
    int chunks;        /* of its pipeline; 0: it is none */
    int64_t ns, of_ns; /* time since the start, duration of the whole run */
    int64_t here_ns;   /* its duration on this machine, if the others are
                        * modelled; else 0 */
    int place;         /* 1 for the winner; 0 if it has not finished yet */
    bool level, here_level; /* another lane takes as long, as far as can be
                             * told; the same on this machine */
};

struct lanes {
    const char *title;
    struct lane all[COMPARE_MAX];
    int n;
    double slower; /* time passes so many times slower than it did in the runs;
                    * 0: no keys are shown */
    int speed;     /* as in a line of keys */
    bool playing;
};

/* Draws the title and the network, the bars, and lanes side by side or, if they
 * are wider then and high enough, in two rows, four as 2 x 2; in more rows if
 * they would be too narrow.  On a canvas that is too small, draws only a
 * message. */
void lanes_draw(struct lanes *l, struct canvas *c);

#endif
