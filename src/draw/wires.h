/* SPDX-License-Identifier: MIT */
/* Lines that may meet. Lines of the same group join where they touch; lines of
 * different groups cross, with the vertical one on top.  With `joins`, a line
 * joins another one also where it turns. */
#ifndef DRAW_WIRES_H
#define DRAW_WIRES_H

#include "draw/route.h"

enum wire_style { WIRE_DOTTED, WIRE_THIN, WIRE_THICK };

struct wires {
    struct rect area;
    bool joins;
    struct wire {
        uint8_t ends; /* the sides of the cell that the line leads to */
        uint8_t style; /* enum wire_style */
        uint8_t role; /* enum role */
        int16_t group;
    } *cells;
};

void wires_init(struct wires *w, struct rect area);
void wires_done(struct wires *w);

/* Adds a path of horizontal and vertical pieces, in the colour of `role`. */
void wires_add(struct wires *w, const struct route *p, int group,
               enum wire_style style, enum role role);

void wires_draw(const struct wires *w, struct canvas *c, enum glyph_set set);

#endif
