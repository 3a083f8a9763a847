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
 * the stages, if all are seen, or the matrix stand beside the wiring, and the
 * wiring stands beside the stages (view_beside).  The inspector takes the right
 * pane.  In a lesson there is one. */
#ifndef VIEW_FRAME_H
#define VIEW_FRAME_H

#include "model/scene.h"
#include "view/keys.h"

/* The positions of the parts of the screen; arithmetic only.
 *
 *     title        one row
 *     progress     one row: the phases, the step
 *     picture      all remaining rows
 *     now, next    one row each: the step in words
 *     traffic      one row: bytes sent against the optimum
 *     keys         the last row
 *
 * In a lesson the teacher's panel replaces the lower rows:
 *
 *     title, progress, picture
 *     panel        a rule, then at least LAYOUT_PANEL_ROWS of text
 *     keys         the last row
 *
 * 80x24 is enough for all of it.  The picture gets all additional rows, except
 * that a screen of LAYOUT_AIRY_ROWS or more has blank rows between the parts.
 * 23 rows, as in a tmux with a status line, lack only a blank row.  On smaller
 * screens the traffic is left out; the sentences may take three rows where
 * columns are few. */
enum {
    LAYOUT_COLUMNS_LEAST = 40,
    LAYOUT_ROWS_LEAST = 10,
    LAYOUT_COLUMNS_FULL = 80,
    LAYOUT_ROWS_FULL = 24,
    LAYOUT_AIRY_ROWS = 30,
    LAYOUT_PANEL_ROWS = 5, /* the least number of rows of text in the panel,
                            * each of at least LAYOUT_COLUMNS_FULL - 4
                            * columns */
};

struct layout {
    struct rect picture;
    int margin, width; /* first column and columns of the rows of text */
    int title, progress, now, next, keys; /* rows */
    int traffic;     /* a row; -1: none */
    int words;       /* rows from `now` on, for both sentences */
    struct rect panel; /* in a lesson: the rule and the text below it, instead
                        * of now, next and traffic */
};

/* Sets *l for a screen of this size. Returns false if the screen is smaller
 * than LAYOUT_COLUMNS_LEAST x LAYOUT_ROWS_LEAST; a lesson needs the columns of
 * a full screen and all its rows but one. */
bool layout(int columns, int rows, bool lesson, struct layout *l);

/* The teacher's part of the screen, below the picture:
 *
 *     ─ 11 · Ring all-reduce ───────────────────────────────── ━━━━━●┄┄┄┄ ─
 *     After one more step, what does GPU 1 hold in slot 1?
 *       a) B1          ✗ Something arrives here and is added.
 *     ▶ b) A1+B1
 *       c) A1+B1+C1
 *
 *     ←→ choose  Enter answer  ? hint  > explore  Esc lessons
 *
 * If there is no run yet, the panel covers the whole screen but the last row.
 * A table or a figure replaces the picture.  Names of the data in slots have
 * the same colours as in the picture. */
enum { PANEL_ITEMS = 10 };

struct panel {
    int number; /* of the lesson; 0: not shown */
    const char *title;
    double progress;   /* of the lesson, 0 to 1; negative: not shown */
    bool full;         /* covers the screen, without a picture */
    const char *table; /* lines shown instead of the picture, or NULL */
    bool headless; /* the table's first row is a row like the others */
    int row, refused_row, right_row; /* of the table, from 1: the one that is
                           * chosen, was wrong, is right; 0: none */
    const struct figure *figure; /* drawn in the place of the table, or NULL */
    const char *above; /* the question that the text answers: as much of it as
                        * there is room for, at least a row; or NULL */
    bool headed;       /* the first line of the text is a heading, or that of
                        * the closing text */
    const char *text;  /* may have several lines */
    const char *items[PANEL_ITEMS]; /* to choose from or to sort */
    int nitems;
    int chosen;        /* index of an item, or -1 */
    int refused;       /* index of an item that was wrong, or -1 */
    int right;         /* index of the item that is right, or -1 */
    int voters;             /* how many have voted; 0: no votes are shown */
    int votes[PANEL_ITEMS]; /* for each item; -1: it cannot have any */
    const char *reason; /* a sign, and why the refused item is wrong; or NULL */
    char letter;       /* of the first item; 0: items have no letters */
    bool held;         /* the chosen item is being moved */
    const char *typed; /* the answer typed so far; NULL: not a typed answer */
    const char *closing; /* a text below the items, or NULL */
    const char *aside; /* a hint or speaker's notes, below the rest; or NULL */
    const char *status; /* beside the progress, or NULL */
    struct asked_slot asked;
    struct key_line keys; /* which the frame draws */
};

/* Raises the rule and makes the picture lower, so that there is room for a row
 * of the question above the text, below it for the aside, and below the panel
 * for a notice of `notice` rows, which covers the picture's lowest rows for its
 * short while. */
void panel_make_room(const struct panel *p, int notice, struct layout *l);

/* Draws the panel in a layout for lessons. */
void panel_draw(const struct panel *whole, struct canvas *c,
                const struct layout *l);

/* The number of rows that the panel's text needs in `columns` columns, where
 * there are `room`: items have as few columns as possible.  Then, the number of
 * rows that a layout has for it.  If there is a closing text and not enough
 * room, the text above the items is left out, then all items but the right
 * one. */
int panel_rows(const struct panel *p, int columns, int room);
int panel_room(const struct panel *p, const struct layout *l);

/* Draws the phases, each with a track whose length is proportional to its
 * steps, and the current step.
 *
 *     reduce-scatter ━━━━━━●┄┄┄┄┄┄ all-gather ┄┄┄┄┄┄┄┄┄┄┄┄┄   step 1/4 */
void progress_draw(const struct scene *s, struct canvas *c,
                   const struct layout *l);

/* The bytes sent and received so far, with the least that any algorithm must
 * send. */
struct traffic {
    bool even; /* all ranks send and receive the same number of bytes in all */
    struct amount {
        int64_t now, total; /* bytes: so far, in the whole run; each is the most
                             * of all ranks */
    } sent, received;
    int64_t optimum; /* bytes that the busiest rank must send at least */
};

struct traffic traffic_of(const struct world *w);

/* "sent per GPU: 8 B of 32 B  ██░░  optimum 2(N-1)/N of its data: 32 B"; if
 * some send more, "most sent: 8 B of 24 B █░░  received: 24 B of 24 B ███" */
void traffic_draw(const struct scene *s, struct canvas *c,
                  const struct layout *l);

/* A blank row, a heading, and bars of the links that carry data in the run:
 * "0▶1 ███░░░ 8 B of 16 B   1▶2 ███░░░ 8 B of 16 B".  Returns the rows that
 * they take in an area of this width; 0 if there are none, because there are
 * too many ranks.  If c is NULL, only measures them. */
int traffic_draw_links(const struct scene *s, struct canvas *c,
                       struct rect area);

/* The least screen for two panes. */
enum { PANES_COLUMNS = 120, PANES_ROWS = 40, PANES_MOST = 2 };

struct pane {
    const struct view *view;
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

/* The things that stand around the picture of a scene. */
struct surround {
    bool playing;
    int speed;          /* 0: normal, each +1 doubles it, each -1 halves it */
    const char *typed;  /* a number before a key; NULL: none */
    int notice_rows;    /* that a notice will cover above the keys of a lesson;
                         * the panel makes room for them */
    const char *back;   /* where q leads back to; NULL: q ends collviz */
    bool in_lesson;     /* the run belongs to a lesson, which is `back` */
    bool from_file;     /* the run is one of a file, which may change */
    const char *task;   /* what the lesson asks the learner to do; NULL: none */
    const struct panel *panel; /* of the lesson if the scene is taught */
    struct panes *panes; /* kept from one frame to the next, zeroed before the
                          * first; NULL: they are found for each frame */
};

/* Draws the scene on the whole canvas.  If `a` is NULL, it is a picture to give
 * away, without keys.  If the canvas is too small, draws only a message with
 * the size that is needed; if the world has no schedule yet, a message that the
 * run is being prepared. */
void frame_draw(const struct scene *s, const struct surround *a,
                struct canvas *c);

/* How long it takes to read the sentence about the scene's step, in ns; 0 if
 * there was a step of its kind before. */
int64_t frame_reading_ns(const struct scene *s, int columns, int rows);

/* The next value of the scene's `view`, and of its `beside`: the next view that
 * fits in the right pane, then none, then again the first; as before, if there
 * is no room for two. */
int frame_next_view(const struct scene *s, int columns, int rows);
int frame_next_beside(const struct scene *s, int columns, int rows);

/* The help of the screen: its keys, in their state, and the views that it
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
