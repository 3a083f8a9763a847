/* SPDX-License-Identifier: MIT */
/* How far a run is: its steps, and its bytes. */
#ifndef VIEW_PROGRESS_H
#define VIEW_PROGRESS_H

#include "draw/canvas.h"
#include "draw/layout.h"
#include "model/scene.h"

/* Draws the phases, each with a track whose length is proportional to its
 * steps, and the current step.
 *
 *     reduce-scatter ━━━━━━●┄┄┄┄┄┄ all-gather ┄┄┄┄┄┄┄┄┄┄┄┄┄   step 1/4 */
void progress_draw(const struct scene *s, struct canvas *c,
                   const struct layout *l);

/* The step at column x of the line, or 0. */
int progress_at(const struct scene *s, const struct layout *l, int x);

/* The bytes sent and received so far, with the least that any algorithm must
 * send. */
struct traffic {
    bool even; /* all ranks send and receive the same number of bytes in all */
    struct amount {
        int64_t now, total; /* bytes: so far, in the whole run; each is the most
                             * of all ranks */
    } sent, received;
    int64_t optimum; /* bytes that the busiest rank must send at least */
};

struct traffic traffic_of(const struct world *w);

/* "sent per GPU: 8 B of 32 B  ██░░  optimum 2(N-1)/N of its data: 32 B"; if
 * some send more, "most sent: 8 B of 24 B █░░  received: 24 B of 24 B ███" */
void traffic_draw(const struct scene *s, struct canvas *c,
                  const struct layout *l);

/* A blank row, a heading, and bars of the links that carry data in the run:
 * "0▶1 ███░░░ 8 B of 16 B   1▶2 ███░░░ 8 B of 16 B".  Returns the rows that
 * they take in an area of this width; 0 if there are none, because there are
 * too many ranks.  If c is NULL, only measures them. */
int traffic_draw_links(const struct scene *s, struct canvas *c,
                       struct rect area);

#endif
