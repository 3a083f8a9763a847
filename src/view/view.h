/* SPDX-License-Identifier: MIT */
/* The table of views: ways to draw a scene.
 *
 * A view is a few pure functions in one file, and one row below. */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "draw/canvas.h"
#include "model/scene.h"

/* A symbol of a picture and what it means. */
struct symbol {
    const char *text; /* NULL: `glyph` is the symbol */
    enum glyph glyph;
    const char *meaning; /* not translated yet; NULL ends a list */
};

struct places; /* view/places.h */

/* The bit of a topology in a mask: VIEW_OF(TOPOLOGY_RING). */
#define VIEW_OF(kind) (1u << (kind))

struct view {
    const char *name;    /* not translated yet */
    unsigned topologies; /* the mask of topologies that it draws; 0: all */
    unsigned chosen_for; /* those for which it is shown unless the user asks
                          * for another; 0: all that it draws */
    /* Whether it is shown by default, before all others, for the collective;
     * NULL: for none. */
    bool (*leads)(const struct schedule *s);
    /* Says where all is (view/places.h), so that the painter can draw it, in
     * boxes if it is a view of topologies.  Returns false if there is no room
     * in the look that is tried.  NULL: the view draws itself. */
    bool (*place)(struct places *p);
    /* The least area of a view that draws itself, and shows only runs that have
     * steps; 0: it can always be shown. */
    struct point least;
    void (*draw)(const struct scene *s, struct canvas *c, struct rect area);
    const struct symbol *symbols; /* NULL: painter_symbols */
    bool still; /* the view does not change while a step is in flight */
    bool whole; /* it shows all of the run that is known, with its bytes and
                 * times: not while a question is open (scene.hides) */
};

/* The view with this index, counted from 0; NULL after the last. */
const struct view *view_at(int index);

/* The view that the scene asks for if it is suitable, else the first suitable
 * one. */
const struct view *view_choose(const struct scene *s, struct rect area);

/* Whether a view can show the scene in the area. */
bool view_suits(const struct view *v, const struct scene *s, struct rect area);

/* How much of the scene a view cannot show there.  0: it has room for all
 * names, or always looks the same.  The less its blocks say, the more it is
 * (enum block_form).  VIEW_PARTIAL or more: it leaves out a part.
 * VIEW_NOTHING: it does not suit. */
enum { VIEW_PARTIAL = 8, VIEW_NOTHING = 16 };
int view_loss(const struct view *v, const struct scene *s, struct rect area);

/* The view for the area beside another view: the one that the scene asks for,
 * else one that completes it.  NULL if none suits. */
const struct view *view_beside(const struct view *v, const struct scene *s,
                               struct rect area);

void view_draw(const struct view *v, const struct scene *s, struct canvas *c,
               struct rect area);

/* The index of the next suitable view after the one shown. */
int view_next(const struct scene *s, struct rect area);

/* The table: those of topologies come first, so that they are chosen by
 * default.  If any two ranks may be linked, the wiring says little, so the
 * stages come before the arcs.  The heat map suits every scene. */
#define VIEW_ROWS(ROW) \
    ROW(view_ring) \
    ROW(view_tree) \
    ROW(view_grid) \
    ROW(view_cube) \
    ROW(view_star) \
    ROW(view_stages) \
    ROW(view_arcs) \
    ROW(view_table) \
    ROW(view_matrix) \
    ROW(view_heat) \
    ROW(view_paths) \
    ROW(view_timeline) \
    ROW(view_log)

#define VIEW_DECLARE(row) extern const struct view row;
VIEW_ROWS(VIEW_DECLARE)
#undef VIEW_DECLARE

/* Draws the heat map of a narrow place (view/heat.c): ranks side by side. */
void heat_strip(const struct scene *s, struct canvas *c, struct rect area);

/* The meanings of the signs in a picture of boxes. */
extern const struct symbol painter_symbols[];

/* The inspector: all facts about the slots of the selected rank, instead of a
 * view. It has no name and is not in the table. */
extern const struct view view_slots;

#endif
