/* SPDX-License-Identifier: MIT */
/* Routes on the canvas: at most five straight pieces from one box to another.
 * Blocks move along them, and lines are drawn along them, called wires.
 *
 * Wires of the same group join where they touch; wires of different groups
 * cross, with the vertical one on top.  If `joins` is set, a wire joins another
 * one also where it turns.  A slanting wire, from a column straight to one on
 * the right in another row, is on top of the others. */
#ifndef DRAW_ROUTE_H
#define DRAW_ROUTE_H

#include <stdbool.h>

#include "draw/canvas.h"

enum { ROUTE_POINTS = 6 };

struct route {
    int count; /* of points, at least 1 */
    struct point points[ROUTE_POINTS];
};

void route_add(struct route *p, int x, int y);

/* The end of a route, and the arrowhead there, which points as the last piece
 * does. */
struct point route_end(const struct route *p);
enum glyph route_arrowhead(const struct route *p);

/* A route, or the way `back`, without its two ends if these are `on_boxes`; and
 * the arrowhead of all of it. */
struct route route_between(const struct route *p, bool back, bool on_boxes,
                           enum glyph *head);

/* The position of the left end of a block that is `width` columns wide and has
 * made `progress` (0 to 1) of the route. The block is centered on the route and
 * does not extend beyond its ends.  A row counts as two columns, so that the
 * speed looks the same in both directions. */
struct point route_at(const struct route *p, double progress, int width);

enum wire_style { WIRE_DOTTED, WIRE_THIN, WIRE_THICK };

struct wires {
    int columns, rows; /* of the canvas */
    enum glyph_set glyphs;
    bool joins;
    struct wire {
        uint8_t ends; /* the sides of the cell that the line leads to */
        uint8_t style; /* enum wire_style */
        uint8_t role; /* enum role */
        int16_t group;
        uint32_t slanting; /* a piece of a slanting line, or 0 */
    } *cells;
};

void wires_init(struct wires *w, const struct canvas *c);

/* Adds a path of horizontal and vertical pieces, or of a slanting one, in the
 * colour of `role`. */
void wires_add(struct wires *w, const struct route *p, int group,
               enum wire_style style, enum role role);

/* Draws the wires, and frees them. */
void wires_draw(struct wires *w, struct canvas *c);

#endif
