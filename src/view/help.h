/* SPDX-License-Identifier: MIT */
/* The help: every key of the screen, and every symbol of the views
 * that are shown. */
#ifndef VIEW_HELP_H
#define VIEW_HELP_H

#include "view/view.h"

/* Draws a box in the middle of the area.  `lists` are the symbols of `count`
 * views; those that several views share are explained once. */
void help_draw(const struct scene *s, const struct symbol *const *lists,
               int count, struct canvas *c, struct rect area);

#endif
