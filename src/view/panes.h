/* SPDX-License-Identifier: MIT */
/* The picture: one view, or two side by side, which show the same moment.
 *
 *     ╭ GPU 0 ╮──▶╭ GPU 1 ╮    │ stages
 *     ╰───────╯   ╰───────╯    │ GPU 0  A ──▲── AB
 *                              │ GPU 1  B ──▼── AB
 *     bytes sent over each link│
 *     0▶1 ████░░  4 of 8 B     │
 *
 * From PANES_COLUMNS x PANES_ROWS on there are two, if both views have room:
 * beside the wiring stand the stages, if all are seen, or the matrix; beside
 * the stages the wiring (view_beside).  The inspector takes the right pane.  In
 * a lesson there is one. */
#ifndef VIEW_PANES_H
#define VIEW_PANES_H

#include "view/view.h"

/* The least screen for two panes. */
enum { PANES_COLUMNS = 120, PANES_ROWS = 40, PANES_MOST = 2 };

struct pane {
    const struct view *view; /* NULL: the inspector */
    struct rect area;
};

struct panes {
    int count;
    struct pane panes[PANES_MOST]; /* from left to right */
    struct rect links; /* the bars of the links; height 0: none */
};

/* Divides the picture, which the layout of a frame gives. */
void panes_arrange(struct panes *p, const struct scene *s,
                   struct rect picture);

void panes_draw(const struct scene *s, struct canvas *c, struct rect picture);

/* What is at a point of the picture. */
struct view_target panes_at(const struct scene *s, struct rect picture,
                            struct point at);

/* Whether the picture changes while a step is in flight. */
bool panes_move(const struct scene *s, struct rect picture);

/* The scene's `beside` for the next view in the right pane; after the last
 * there is none.  If no view fits, that does not change. */
int panes_next(const struct scene *s, struct rect picture);

#endif
