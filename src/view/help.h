/* SPDX-License-Identifier: MIT */
/* The help: every key of a screen, and every sign of the views that it shows;
 * on several pages if they do not fit on one.  Its own keys are in the last
 * line.  tests/signs compares its signs with what views draw.
 *
 *     page = 1;                                            at the key ?
 *     help_draw(&h, page, set, &canvas);
 *     page = help_after(&h, page, key, columns, rows);     at each key */
#ifndef VIEW_HELP_H
#define VIEW_HELP_H

#include "view/keys.h"
#include "view/view.h"

enum { HELP_VIEWS = 16 };

/* What a help explains. */
struct help {
    enum key_screen on;
    unsigned state; /* of the screen: bits of enum key_when */
    const struct symbol *signs; /* of the screen itself; NULL: none */
    const struct view *views[HELP_VIEWS]; /* shown; NULL: the inspector */
    int nviews;
};

/* What explains the signs of a view (NULL: the inspector): lists, some of which
 * may be NULL. */
enum { HELP_LISTS = 3 };
struct help_symbols {
    const struct symbol *lists[HELP_LISTS];
};
struct help_symbols help_symbols(const struct view *view);

/* The page that a key leads to from a page, on a screen of this size; 0: the
 * key closes the help, as all do that turn no page. */
int help_after(const struct help *h, int page, int key, int columns,
               int rows);

/* Draws a page, from 1 on, in a box in the middle of the canvas, and the keys
 * in the last row; the last page if there are not so many, because the screen
 * has grown. */
void help_draw(const struct help *h, int page, enum glyph_set set,
               struct canvas *c);

#endif
