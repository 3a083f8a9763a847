/* SPDX-License-Identifier: MIT */
/* The help: every key of the screen, and every sign of the views that are
 * shown; on several pages if they do not fit on one.  tests/signs compares
 * them with what views draw. */
#ifndef VIEW_HELP_H
#define VIEW_HELP_H

#include "view/panes.h"

/* What explains the signs of a view (NULL: the inspector): lists, some of which
 * may be empty. */
enum { HELP_LISTS = 3 };
struct help_symbols {
    const struct symbol *lists[HELP_LISTS];
};
struct help_symbols help_symbols(const struct view *view);

/* The number of pages on a screen of this size. */
int help_pages(const struct scene *s, const struct panes *shown, int columns,
               int rows);

/* Draws the scene's page in a box in the middle of the area. */
void help_draw(const struct scene *s, const struct panes *shown,
               struct canvas *c, struct rect area);

#endif
