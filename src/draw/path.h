/* SPDX-License-Identifier: MIT */
/* Paths on the canvas: at most five straight pieces from one box to another. A
 * path is drawn as a line with an arrowhead, and blocks move along it. */
#ifndef DRAW_PATH_H
#define DRAW_PATH_H

#include <stdbool.h>

#include "draw/glyph.h"

enum { PATH_POINTS = 6 };

struct path {
    int count; /* of points, at least 1 */
    struct point points[PATH_POINTS];
    bool upward; /* the direction, if the path is a single cell */
};

void path_add(struct path *p, int x, int y);
struct path path_reversed(const struct path *p);

/* The position of the left end of a block that is `width` columns wide and has
 * made `progress` (0 to 1) of the path. The block is centered on the path and
 * does not extend beyond its ends.  A row counts as two columns, so that the
 * speed looks the same in both directions. */
struct point path_at(const struct path *p, double progress, int width);

/* Draws a path of horizontal and vertical pieces. */
void path_draw(const struct path *p, struct canvas *c, enum glyph_set set,
               struct pen pen);

#endif
