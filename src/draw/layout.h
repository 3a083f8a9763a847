/* SPDX-License-Identifier: MIT */
/* The positions of the parts of the screen; arithmetic only.
 *
 *     title        one row
 *     progress     one row: the phases, the step
 *     picture      all remaining rows
 *     now, next    one row each: the step in words
 *     traffic      one row: bytes sent against the optimum
 *     keys         the last row
 *
 * In a lesson the teacher's panel replaces the lower rows:
 *
 *     title, progress, picture
 *     panel        a rule, then at least LAYOUT_PANEL_ROWS of text
 *     keys         the last row
 *
 * 24 rows are enough.  The picture gets all additional rows, except that a
 * screen of LAYOUT_AIRY_ROWS or more has blank rows between the parts. */
#ifndef DRAW_LAYOUT_H
#define DRAW_LAYOUT_H

#include <stdbool.h>

#include "draw/canvas.h"

enum {
    LAYOUT_COLUMNS_LEAST = 80,
    LAYOUT_ROWS_LEAST = 24,
    LAYOUT_AIRY_ROWS = 30,
    LAYOUT_PANEL_ROWS = 5, /* the least number of rows of text in the panel,
                            * each of at least LAYOUT_COLUMNS_LEAST - 4
                            * columns */
};

struct layout {
    struct rect picture;
    int margin, width; /* first column and columns of the rows of text */
    int title, progress, now, next, traffic, keys; /* rows */
    struct rect panel; /* in a lesson: the rule and the text below it, instead
                        * of now, next and traffic */
};

/* Sets *l for a screen of this size. Returns false if the screen is smaller
 * than LAYOUT_COLUMNS_LEAST x LAYOUT_ROWS_LEAST. */
bool layout(int columns, int rows, bool lesson, struct layout *l);

#endif
