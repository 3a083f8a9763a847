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

struct wiring; /* view/wiring.h */

/* VIEW_OF(TOPOLOGY_RING): a bit of the mask of topologies. */
#define VIEW_OF(kind) (1u << (kind))

struct view {
    const char *name;    /* to be translated */
    unsigned topologies; /* the ones that it draws; 0: all */
    /* Of a view of wired ranks: says where boxes and links are, as a
     * wiring_place (view/wiring.h).  Drawing and finding ranks follow from it,
     * so the functions below may be NULL.  Of other views NULL. */
    bool (*place)(struct wiring *w, struct rect area);
    /* Whether it can show this scene in an area of that size. NULL: always. */
    bool (*suits)(const struct scene *s, struct rect area);
    void (*draw)(const struct scene *s, struct canvas *c, struct rect area);
    /* The rank that is at a place in that area, -1 for none. NULL: ranks have
     * no places. */
    int (*rank_at)(const struct scene *s, struct rect area, struct point at);
    const struct symbol *symbols;
    bool moves; /* looks different while a step is on its way */
};

/* The table, by index from 0; NULL behind its end. */
const struct view *view_at(int index);

/* The one that the scene asks for if it suits, else the first that does. */
const struct view *view_choose(const struct scene *s, struct rect area);

/* The functions of a view, whichever way it has them. */
void view_draw(const struct view *v, const struct scene *s, struct canvas *c,
               struct rect area);
int view_rank_at(const struct view *v, const struct scene *s,
                 struct rect area, struct point at);

/* The index of the view that follows the one shown, among those that suit. */
int view_next(const struct scene *s, struct rect area);

/* The views, each from its own file. */
extern const struct view view_ring, view_matrix, view_timeline, view_log,
    view_tree, view_grid, view_layers, view_cube, view_star, view_arcs;

#endif
