/* SPDX-License-Identifier: MIT */
/* What goes where on the screen, as arithmetic.
 *
 *     title        one row
 *     progress     one row: the phases, the step
 *     picture      all that is left
 *     now, next    a row each: what happens, in words
 *     traffic      one row: bytes sent against the optimum
 *     keys         the last row
 *
 * In a lesson the teacher has the lowest rows instead:
 *
 *     title, progress, picture
 *     panel        a rule, LAYOUT_PANEL_ROWS of text or more
 *     keys         the last row
 *
 * 24 rows are enough; what is more goes to the picture and, above
 * LAYOUT_AIRY_ROWS, to blank rows between the parts. */
#ifndef DRAW_LAYOUT_H
#define DRAW_LAYOUT_H

#include <stdbool.h>

#include "draw/canvas.h"

enum {
    LAYOUT_COLUMNS_LEAST = 80,
    LAYOUT_ROWS_LEAST = 24,
    LAYOUT_AIRY_ROWS = 30,
    LAYOUT_PANEL_ROWS = 5, /* of text, at least, in LAYOUT_COLUMNS_LEAST - 4
                            * columns or more */
};

struct layout {
    struct rect picture;
    int margin, width; /* of the rows of text: first column, columns */
    int title, progress, now, next, traffic, keys; /* rows */
    struct rect panel; /* its rule and the text below; of a lesson, where now,
                        * next and traffic are not */
};

/* False where it is smaller than the least. */
bool layout(int columns, int rows, bool lesson, struct layout *l);

#endif
