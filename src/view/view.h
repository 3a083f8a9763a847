/* SPDX-License-Identifier: MIT */
/* Views: ways to draw a scene, as one table.
 *
 * A view is one file with a few pure functions, and one row in view.c. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "draw/glyph.h"
#include "model/scene.h"

/* A symbol of a picture and what it means. */
struct symbol {
    const char *text; /* NULL: the glyph */
    enum glyph glyph;
    const char *meaning; /* to be translated; NULL ends a list */
};

struct view {
    const char *name; /* to be translated */
    /* Whether it can show this scene in an area of that size. */
    bool (*suits)(const struct scene *s, struct rect area);
    void (*draw)(const struct scene *s, struct canvas *c, struct rect area);
    /* The rank that is at a place in that area, -1 for none; NULL: a view
     * that has no places for them. */
    int (*rank_at)(const struct scene *s, struct rect area, struct point at);
    const struct symbol *symbols;
    bool moves; /* looks different while a step is on its way */
};

/* The table, by index from 0; NULL behind its end. */
const struct view *view_at(int index);

/* The one that the scene asks for if it suits, else the first that does. */
const struct view *view_choose(const struct scene *s, struct rect area);

/* The index of the view that follows the one shown, among those that suit. */
int view_next(const struct scene *s, struct rect area);

/* The views, each from its own file. */
extern const struct view view_ring, view_matrix, view_timeline, view_log,
    view_tree, view_grid, view_layers, view_cube, view_star, view_arcs;

#endif
