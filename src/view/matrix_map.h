/* SPDX-License-Identifier: MIT */
/* The density map of a matrix that has more slots than the screen has cells:
 * each cell shows the mean of several slots. */
#ifndef VIEW_MATRIX_MAP_H
#define VIEW_MATRIX_MAP_H

#include "view/matrix_layout.h"

/* Draws the map. It is bright where the scene's step changed something, and in
 * reverse video around the slot in the middle of the lens. */
void matrix_map_draw(const struct matrix *m);

#endif
