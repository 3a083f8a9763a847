/* SPDX-License-Identifier: MIT */
/* The content of a cell of the matrix: a block, or a fill whose height is the
 * number of contributions. */
#ifndef VIEW_MATRIX_CONTENT_H
#define VIEW_MATRIX_CONTENT_H

#include "view/matrix_layout.h"

/* Draws what a slot holds after a step, if the slot is in the window. */
void matrix_content_draw(const struct matrix *m, int step, int rank, int slot,
                         const uint64_t *row, bool changed);

#endif
