/* SPDX-License-Identifier: MIT */
/* The help: every key of the screen, and every sign of the view that is shown;
 * on two pages if they do not fit on one.  tests/signs compares the signs with
 * what views draw. */
#ifndef VIEW_HELP_H
#define VIEW_HELP_H

#include "view/view.h"

/* What explains the signs of a view (NULL: the inspector): two lists, of which
 * the second is empty if the view has no slots and links. */
struct help_symbols {
    const struct symbol *lists[2];
};
struct help_symbols help_symbols(const struct view *view);

/* The number of pages on a screen of this size. */
int help_pages(const struct scene *s, const struct view *view, int columns,
               int rows);

/* Draws the scene's page in a box in the middle of the area. */
void help_draw(const struct scene *s, const struct view *view,
               struct canvas *c, struct rect area);

#endif
