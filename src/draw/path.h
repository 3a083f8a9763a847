/* SPDX-License-Identifier: MIT */
/* Paths over the canvas: at most five straight pieces from one box to
 * another, drawn as a line with an arrowhead, and walked along by blocks. */
#ifndef DRAW_PATH_H
#define DRAW_PATH_H

#include <stdbool.h>

#include "draw/glyph.h"

enum { PATH_POINTS = 6 };

struct path {
    int count; /* of points; at least 1 */
    struct point points[PATH_POINTS];
    bool upward; /* where it is a single cell: that it leads up */
};

void path_add(struct path *p, int x, int y);
struct path path_reversed(const struct path *p);

/* The place after `progress` (0 to 1) of the way.  A row counts as much as
 * two columns, so that the speed looks the same in both directions. */
struct point path_at(const struct path *p, double progress);

/* The same for something `width` columns wide that is centered there, and
 * stays between the ends where the path begins or ends sideways. */
struct point path_at_wide(const struct path *p, double progress, int width);

/* Draws a path of horizontal and vertical pieces. */
void path_draw(const struct path *p, struct canvas *c, enum glyph_set set,
               struct pen pen);

#endif
