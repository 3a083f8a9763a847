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
 * 80x24 is enough for all of it.  The picture gets all additional rows, except
 * that a screen of LAYOUT_AIRY_ROWS or more has blank rows between the parts.
 * 23 rows, as in a tmux with a status line, lack only a blank row.  On smaller
 * screens the traffic is left out; the sentences may take three rows where
 * columns are few. */
#ifndef DRAW_LAYOUT_H
#define DRAW_LAYOUT_H

#include <stdbool.h>

#include "draw/canvas.h"

enum {
    LAYOUT_COLUMNS_LEAST = 40,
    LAYOUT_ROWS_LEAST = 10,
    LAYOUT_COLUMNS_FULL = 80,
    LAYOUT_ROWS_FULL = 24,
    LAYOUT_AIRY_ROWS = 30,
    LAYOUT_PANEL_ROWS = 5, /* the least number of rows of text in the panel,
                            * each of at least LAYOUT_COLUMNS_FULL - 4
                            * columns */
};

struct layout {
    struct rect picture;
    int margin, width; /* first column and columns of the rows of text */
    int title, progress, now, next, keys; /* rows */
    int traffic;     /* a row; -1: none */
    int words;       /* rows from `now` on, for both sentences */
    struct rect panel; /* in a lesson: the rule and the text below it, instead
                        * of now, next and traffic */
};

/* Sets *l for a screen of this size. Returns false if the screen is smaller
 * than LAYOUT_COLUMNS_LEAST x LAYOUT_ROWS_LEAST; a lesson needs the columns of
 * a full screen and all its rows but one. */
bool layout(int columns, int rows, bool lesson, struct layout *l);

#endif
