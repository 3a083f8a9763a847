/* SPDX-License-Identifier: MIT */
/* Text of several lines, drawn on a canvas.
 *
 * Names of the data in slots, like B2 in "B2 is chunk 2 of GPU 1", are drawn in
 * the same colours as in pictures.  Names in quotes stay plain, because they
 * may mean something else: many texts call it "D0". */
#ifndef DRAW_PROSE_H
#define DRAW_PROSE_H

#include "base/wrap.h"
#include "draw/canvas.h"

/* Draws the current line; without a canvas only measures it.  Returns its
 * columns. */
int wrap_put(const struct wrap *w, struct canvas *c, int x, int y,
             struct pen pen);

/* Draws text wrapped to the area, with the pen `first` for the first line.  If
 * it has too few rows, the last one ends with an ellipsis.  Returns the number
 * of rows used. */
int prose_draw(struct canvas *c, struct rect area, const char *text,
               struct pen first, struct pen pen);

#endif
