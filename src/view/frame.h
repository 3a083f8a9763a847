/* SPDX-License-Identifier: MIT */
/* The whole screen: the picture and what stands around it.  The picture is one
 * view, or two side by side, which show the same moment:
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
#ifndef VIEW_FRAME_H
#define VIEW_FRAME_H

#include "draw/layout.h"
#include "model/scene.h"
#include "view/keys.h"
#include "view/panel.h"

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
    struct rect picture;
    struct scene scene; /* that they were arranged for */
};

/* Divides the picture, which a layout gives. */
struct panes frame_panes(const struct scene *s, struct rect picture);

/* What stands around the picture of a scene. */
struct surround {
    bool playing;
    int speed;          /* 0: normal, each +1 doubles it, each -1 halves it */
    const char *typed;  /* a number before a key; NULL: none */
    int notice_rows;    /* that a notice will cover above the keys of a lesson,
                         * whose panel makes room for it */
    const char *back;   /* where q leads back to; NULL: q ends collviz */
    bool in_lesson;     /* that is a lesson, to which the run belongs */
    const char *task;   /* what the lesson asks the learner to do; NULL: none */
    const struct panel *panel; /* of the lesson if the scene is taught */
    struct panes *panes; /* kept from one frame to the next, zeroed before the
                          * first; NULL: they are found for each frame */
};

/* Draws the scene on the whole canvas; with `a` NULL as a picture to give away,
 * without keys.  If the canvas is too small, draws only a message with the size
 * that is needed; if the world has no schedule yet, a message that the run is
 * being prepared.  Returns whether the picture changes while a step is in
 * flight. */
bool frame_draw(const struct scene *s, const struct surround *a,
                struct canvas *c);

/* How long it takes to read the sentence about the scene's step, in ns; 0 if
 * there was a step of its kind before. */
int64_t frame_reading_ns(const struct scene *s, int columns, int rows);

/* What is at a point of a frame of columns x rows; a key is a button of its
 * canvas. */
enum frame_what { FRAME_NOTHING, FRAME_RANK, FRAME_STEP };
struct frame_target {
    enum frame_what what;
    int number; /* of the rank or of the step */
    int slot;   /* of the rank, or -1 */
};
struct frame_target frame_at(const struct scene *s, int columns, int rows,
                             struct point at);

/* The next value of the scene's `view`, and of its `beside`: the next view that
 * fits in the right pane, then none, then again the first; as before, if there
 * is no room for two. */
int frame_next_view(const struct scene *s, int columns, int rows);
int frame_next_beside(const struct scene *s, int columns, int rows);

/* What its help explains: its keys, in their state, and the views that it
 * shows. */
struct help frame_help(const struct scene *s, const struct surround *a,
                       int columns, int rows);

/* Draws a notice, whole if the area has so many rows, at the bottom of the
 * area, and clears these rows of the canvas.  An alarm has a sign before it.
 * Returns its rows; without a canvas only counts them. */
int frame_notice(const char *text, bool alarm, struct canvas *c,
                 struct rect area);

/* Whether the canvas of a screen has fewer columns or rows than are needed.  If
 * so, draws a message with both sizes, and nothing else. */
bool frame_too_small(struct canvas *c, int columns, int rows);

#endif
