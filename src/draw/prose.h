/* SPDX-License-Identifier: MIT */
/* Text of several lines: broken into lines, and drawn.
 *
 * Lines end at blanks, and between characters that are two columns wide.  A
 * line never begins with a closing mark or ends with an opening one (GB/T
 * 15834, W3C clreq 3.1).
 *
 * Names of the data in slots, like B2 in "B2 is chunk 2 of GPU 1", are drawn in
 * the same colours as in pictures.  Names in quotes stay plain, because they
 * may mean something else: many texts call it "D0". */
#ifndef DRAW_PROSE_H
#define DRAW_PROSE_H

#include <stdbool.h>
#include <stddef.h>

#include "draw/canvas.h"

/* Breaks text into lines of at most `columns` columns:
 *
 *     struct wrap w = {.text = text, .columns = 76};
 *     while (wrap_next(&w))
 *         wrap_put(&w, &canvas, x, y++, pen);       w.line, w.length bytes
 */
struct wrap {
    const char *text; /* the rest; a newline in it ends a line */
    int columns;
    const char *line; /* the current line; points into the text */
    size_t length;    /* of the line, in bytes */
    bool over;
};

/* Sets `line` and `length` to the next line. A word that is longer than a line
 * is split. Returns false after the last line. */
bool wrap_next(struct wrap *w);

/* Draws the current line; without a canvas only measures it.  Returns its
 * columns. */
int wrap_put(const struct wrap *w, struct canvas *c, int x, int y,
             struct pen pen);

/* The number of lines that a text takes. */
int wrap_rows(const char *text, int columns);

/* Draws text wrapped to the area, with the pen `first` for the first line.  If
 * it has too few rows, the last one ends with an ellipsis.  Returns the number
 * of rows used. */
int prose_draw(struct canvas *c, struct rect area, const char *text,
               struct pen first, struct pen pen);

#endif
