/* SPDX-License-Identifier: MIT */
/* A canvas: what a screen is to show, as a grid of cells.
 *
 * Views draw on it and know nothing of terminals; term/screen.c puts it on
 * one, other files write it as text or as a picture.  Everything is clipped
 * to the canvas.  A character two columns wide takes two cells, the second
 * one with code 0; marks that combine with the one before are left out.  Text may
 * come from anywhere: cells hold only characters that are shown as they are
 * (base/utf8.h), all others are drawn as their escapes.
 *
 *     struct canvas c = {0};
 *     canvas_resize(&c, 80, 24);
 *     canvas_puts(&c, 2, 0, _("next"), (struct pen){.fg = ROLE_QUIET});
 *     canvas_done(&c);
 */
#ifndef DRAW_CANVAS_H
#define DRAW_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "draw/palette.h"

enum {
    ATTR_BOLD = 1,
    ATTR_REVERSE = 2,
    ATTR_UNDERLINE = 4,
};

/* Roles and attributes; all zero is plain text. */
struct pen {
    uint8_t fg, bg; /* enum role */
    uint8_t attrs;
};

static inline bool
pen_same(struct pen a, struct pen b)
{
    return a.fg == b.fg && a.bg == b.bg && a.attrs == b.attrs;
}

struct cell {
    uint32_t code; /* 0: the right half of the character before */
    struct pen pen;
};

struct canvas {
    int columns, rows;
    struct cell *cells; /* [y * columns + x] */
};

struct point {
    int x, y;
};

struct rect {
    int x, y, width, height;
};

/* Sets the size and clears. A canvas of zeros is a canvas of size 0. */
void canvas_resize(struct canvas *c, int columns, int rows);
void canvas_done(struct canvas *c);
void canvas_clear(struct canvas *c, struct rect area);

/* The cell there; NULL outside. */
const struct cell *canvas_at(const struct canvas *c, int x, int y);

/* One character, utf8_width(code) cells. */
void canvas_put(struct canvas *c, int x, int y, uint32_t code,
                struct pen pen);

/* `count` times the same, to the right. */
void canvas_fill(struct canvas *c, int x, int y, int count, uint32_t code,
                 struct pen pen);

/* A text of one line. Returns its columns, also of what was clipped. */
int canvas_puts(struct canvas *c, int x, int y, const char *text,
                struct pen pen);

/* The same within `width` columns; a text that does not fit is cut and ends
 * with `...`. Returns the columns used. */
int canvas_puts_within(struct canvas *c, int x, int y, int width,
                       const char *text, struct pen pen);

/* Turns foreground and background round in an area, and back again. */
void canvas_turn(struct canvas *c, struct rect area);

#endif
