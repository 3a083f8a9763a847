/* SPDX-License-Identifier: MIT */
/* Breaks text into lines.
 *
 * Lines end at blanks, and between characters that are two columns wide.  A
 * line never begins with a closing mark or ends with an opening one (GB/T
 * 15834, W3C clreq 3.1). */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include <stdbool.h>
#include <stddef.h>

/* Breaks text into lines of at most `columns` columns:
 *
 *     struct wrap w = {.text = text, .columns = 76};
 *     while (wrap_next(&w))
 *         wrap_put(&w, &canvas, x, y++, pen);       w.line, w.length bytes
 */
struct wrap {
    const char *text; /* the rest; a newline in it ends a line */
    int columns;
    bool hangs; /* the lines of a paragraph begin below its text, which its
                 * first line may have after blanks, or in a second column */
    const char *line; /* the current line; points into the text */
    size_t length;    /* of the line, in bytes */
    int indent;       /* the blank columns before it */
    int hang;         /* those before the paragraph's other lines */
    bool inside, over;
};

/* Sets `line`, `length` and `indent` to the next line.  A word that is longer
 * than a line is split.  Returns false after the last line. */
bool wrap_next(struct wrap *w);

/* The number of lines that a text takes. */
int wrap_rows(const char *text, int columns);

#endif
