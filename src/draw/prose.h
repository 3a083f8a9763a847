/* SPDX-License-Identifier: MIT */
/* Text to be read.  Names of what is in slots, like B2 in "B2 is chunk 2 of
 * GPU 1", have the colour that they have in pictures, but for those in quotes:
 * Many texts call it "D0". */
#ifndef DRAW_PROSE_H
#define DRAW_PROSE_H

#include <stddef.h>

#include "draw/canvas.h"

/* Wrapped, the first line with a pen of its own. Returns the rows it took. */
int prose_draw(struct canvas *c, struct rect area, const char *text,
               struct pen first, struct pen pen);

/* One line of `length` bytes. */
void prose_line(struct canvas *c, int x, int y, const char *line,
                size_t length, struct pen pen);

#endif
