/* SPDX-License-Identifier: MIT */
/* Breaks text into lines of at most `columns` columns: at blanks, and between
 * characters that are two columns wide.  A line never begins with a closing
 * mark or ends with an opening one (GB/T 15834, W3C clreq 3.1).
 *
 *     struct wrap w = {.text = text, .columns = 76};
 *     while (wrap_next(&w))
 *         wrap_put(&w, &canvas, x, y++, pen);       w.line, w.length bytes
 */
#ifndef DRAW_WRAP_H
#define DRAW_WRAP_H

#include <stddef.h>

#include "draw/canvas.h"

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

#endif
