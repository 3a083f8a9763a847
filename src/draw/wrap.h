/* SPDX-License-Identifier: MIT */
/* Text broken into lines of so many columns: at blanks, and between characters
 * that are two columns wide, but never so that a line begins with a mark that
 * closes or ends with one that opens (GB/T 15834, W3C clreq 3.1).
 *
 *     struct wrap w = {.text = text, .columns = 76};
 *     while (wrap_next(&w))
 *         ... w.line, w.length bytes ...
 */
#ifndef DRAW_WRAP_H
#define DRAW_WRAP_H

#include <stdbool.h>
#include <stddef.h>

struct wrap {
    const char *text; /* what is left; newlines are kept */
    int columns;
    const char *line; /* in the text */
    size_t length;    /* bytes */
    bool over;
};

/* The next line; false behind the last. A word longer than a line is cut. */
bool wrap_next(struct wrap *w);

/* Lines that a text takes. */
int wrap_rows(const char *text, int columns);

#endif
