/* SPDX-License-Identifier: MIT */
/* Text of several lines.  Names of the data in slots, like B2 in "B2 is chunk 2
 * of GPU 1", have the same colours as in pictures.  Names in quotes do not,
 * because they may mean something else: many texts call it "D0". */
#ifndef DRAW_PROSE_H
#define DRAW_PROSE_H

#include <stddef.h>

#include "draw/canvas.h"

/* Draws text wrapped to the area; the first line has its own pen. Returns the
 * rows used. */
int prose_draw(struct canvas *c, struct rect area, const char *text,
               struct pen first, struct pen pen);

/* Draws one line of `length` bytes. */
void prose_line(struct canvas *c, int x, int y, const char *line,
                size_t length, struct pen pen);

#endif
