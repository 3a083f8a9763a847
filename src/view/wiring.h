/* SPDX-License-Identifier: MIT */
/* Ranks as they are wired: boxes, the links between them, and the data that
 * moves along the links.  A view of a topology only places boxes and links;
 * this file does the rest.
 *
 * Links that carry data in the scene's step are thick. They have an arrowhead
 * at the receiver and the name of the data, with x2 if it fills two slots.  If
 * all ranks send to all others, that would cover everything: then only what the
 * selected rank sends is drawn so. */
#ifndef VIEW_WIRING_H
#define VIEW_WIRING_H

#include "draw/path.h"
#include "draw/rank_box.h"
#include "view/view.h"

enum { WIRING_RANKS_MOST = 64, WIRING_LINKS_MOST = 512 };

/* A link from the edge of one box to the edge of another. Its path begins and
 * ends on cells of the boxes. */
struct link {
    int a, b;  /* ranks */
    int group; /* links of the same group may join */
    int part;  /* the half of the data that it carries, with two trees */
    struct path path;
};

struct wiring {
    const struct schedule *schedule;
    int step;     /* the scene's step; 0: none */
    bool crowded; /* wiring_is_crowded(schedule, step) */
    int selected; /* the rank that the words are about */
    struct rank_box box;
    int gap_x, gap_y; /* least space between boxes */
    int lanes[2];     /* for use by `place`; -1 at first */
    struct point corners[WIRING_RANKS_MOST];
    int nlinks;
    struct link links[WIRING_LINKS_MOST];
};

/* Sets the corners and links for boxes of the size in w->box. Returns false if
 * they do not fit. */
typedef bool wiring_place(struct wiring *w, struct rect area);

/* Chooses the best boxes for which `place` finds room. Returns false if none
 * fit. */
bool wiring_arrange(struct wiring *w, const struct scene *scene,
                    struct rect area, wiring_place *place);

/* The functions of a view of a topology (view.h). */
void wiring_draw(const struct scene *s, struct canvas *c, struct rect area,
                 wiring_place *place);
int wiring_rank_at(const struct scene *s, struct rect area, struct point at,
                   wiring_place *place);
extern const struct symbol wiring_symbols[];

/* Spreads `count` boxes of `size` over `room`. Sets *pitch to the distance from
 * one box to the next, at most twice the size or size + 16, and *first to the
 * position of the first. Returns false if the space between boxes would be less
 * than `gap`. */
bool wiring_spread(int count, int size, int gap, int room, int *pitch,
                   int *first);

struct rect wiring_box(const struct wiring *w, int rank);

/* Whether so many ranks send to so many others in a step that only the selected
 * rank's links are drawn as busy. */
bool wiring_is_crowded(const struct schedule *s, int step);

/* Adds a link. Returns its path; the caller adds the points. */
struct path *wiring_link(struct wiring *w, int a, int b, int group);

#endif
