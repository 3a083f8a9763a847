/* SPDX-License-Identifier: MIT */
/* Ranks as they are wired: boxes, the links between them, and what moves along
 * these.  A view of a topology says where boxes and links are; all else is
 * here.
 *
 * Links that carry something in the step are thick, with arrowheads where it
 * arrives, and the name of what it is, x2 where it is two slots. */
#ifndef VIEW_WIRING_H
#define VIEW_WIRING_H

#include "draw/path.h"
#include "draw/rank_box.h"
#include "view/view.h"

enum { WIRING_RANKS_MOST = 64, WIRING_LINKS_MOST = 512 };

/* From a box's edge to another's: its ends lie on the boxes' cells. */
struct link {
    int a, b;
    int group; /* links of the same one may join */
    int part;  /* of the data: 0 or 1 of two trees */
    struct path path;
};

struct wiring {
    const struct schedule *schedule;
    int step; /* that the scene is about; 0: none */
    struct rank_box box;
    int gap_x, gap_y; /* between boxes, at least */
    int lanes[2];     /* for `place` to remember; -1 at first */
    struct point corners[WIRING_RANKS_MOST];
    int nlinks;
    struct link links[WIRING_LINKS_MOST];
};

/* Fills in corners and links for boxes of the size given; false where they do
 * not fit. */
typedef bool wiring_place(struct wiring *w, struct rect area);

/* The best boxes for which `place` finds room. */
bool wiring_arrange(struct wiring *w, const struct scene *scene,
                    struct rect area, wiring_place *place);

/* The functions of a view of a topology (view.h). */
void wiring_draw(const struct scene *s, struct canvas *c, struct rect area,
                 wiring_place *place);
int wiring_rank_at(const struct scene *s, struct rect area, struct point at,
                   wiring_place *place);
extern const struct symbol wiring_symbols[];

/* `count` boxes of `size` in a row of `room`: from one to the next, at most
 * twice its size or size + 16, and where the first begins. False where less
 * than `gap` is left between them. */
bool wiring_spread(int count, int size, int gap, int room, int *pitch,
                   int *first);

struct rect wiring_box(const struct wiring *w, int rank);

/* One more link; the path is still to be filled in. */
struct path *wiring_link(struct wiring *w, int a, int b, int group);

#endif
