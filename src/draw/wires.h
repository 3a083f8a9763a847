/* SPDX-License-Identifier: MIT */
/* Lines that may meet. Links of the same group join where they touch; links of
 * different groups cross, with the vertical one on top.  Busy links are
 * thick. */
#ifndef DRAW_WIRES_H
#define DRAW_WIRES_H

#include "draw/path.h"

struct wires {
    struct rect area;
    struct wire {
        uint8_t ends; /* the sides of the cell that the line leads to */
        bool thick;
        uint8_t role; /* enum role */
        int16_t group;
    } *cells;
};

void wires_init(struct wires *w, struct rect area);
void wires_done(struct wires *w);

/* Adds a path of horizontal and vertical pieces, in the colour of `role`. */
void wires_add(struct wires *w, const struct path *p, int group, bool thick,
               enum role role);

void wires_draw(const struct wires *w, struct canvas *c, enum glyph_set set);

#endif
