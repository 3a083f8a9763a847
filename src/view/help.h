/* SPDX-License-Identifier: MIT */
/* The help: every key of the screen, and every symbol of the view
 * that is shown. */
#ifndef VIEW_HELP_H
#define VIEW_HELP_H

#include "view/view.h"

/* Draws a box in the middle of the area. `symbols` are those of the view. */
void help_draw(const struct scene *s, const struct symbol *symbols,
               struct canvas *c, struct rect area);

#endif
