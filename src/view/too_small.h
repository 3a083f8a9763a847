/* SPDX-License-Identifier: MIT */
/* What a screen shows that is too small for its contents. */
#ifndef VIEW_TOO_SMALL_H
#define VIEW_TOO_SMALL_H

#include "draw/canvas.h"

/* Whether the canvas has fewer columns or rows than are needed.  If so, draws a
 * message with both sizes, and nothing else. */
bool too_small(struct canvas *c, int columns, int rows);

#endif
