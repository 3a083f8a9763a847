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
 * 24 rows are enough; what is more goes to the picture and, above
 * LAYOUT_AIRY_ROWS, to blank rows between the parts. */
#ifndef VIEW_LAYOUT_H
#define VIEW_LAYOUT_H

#include <stdbool.h>

#include "view/canvas.h"

enum {
    LAYOUT_COLUMNS_LEAST = 80,
    LAYOUT_ROWS_LEAST = 24,
    LAYOUT_AIRY_ROWS = 30,
};

struct layout {
    struct rect picture;
    int margin, width; /* of the rows of text: first column, columns */
    int title, progress, now, next, traffic, keys; /* rows */
};

/* False where it is smaller than the least. */
bool layout(int columns, int rows, struct layout *l);

#endif
