/* SPDX-License-Identifier: MIT */
/* Routes on the canvas: at most five straight pieces from one box to another.
 * Lines are drawn along them (draw/wires.h), and blocks move along them. */
#ifndef DRAW_ROUTE_H
#define DRAW_ROUTE_H

#include <stdbool.h>

#include "draw/glyph.h"

enum { ROUTE_POINTS = 6 };

struct route {
    int count; /* of points, at least 1 */
    struct point points[ROUTE_POINTS];
    bool upward; /* the direction, if the route is a single cell */
};

void route_add(struct route *p, int x, int y);
struct route route_reversed(const struct route *p);

/* The position of the left end of a block that is `width` columns wide and has
 * made `progress` (0 to 1) of the route. The block is centered on the route and
 * does not extend beyond its ends.  A row counts as two columns, so that the
 * speed looks the same in both directions. */
struct point route_at(const struct route *p, double progress, int width);

/* Whether a route leads straight to a column on the right and another row. */
bool route_slants(const struct route *p);

/* Draws such a route as a slanting line. */
void route_draw_slanting(const struct route *p, struct canvas *c,
                         enum glyph_set set, struct pen pen);

#endif
