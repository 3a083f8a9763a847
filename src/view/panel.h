/* SPDX-License-Identifier: MIT */
/* The teacher's part of the screen, below the picture:
 *
 *     ─ 11 · Ring all-reduce ───────────────────────────────── ━━━━━●┄┄┄┄ ─
 *     After one more step, what does GPU 1 hold in slot 1?
 *       B1        ▶ A1+B1        A1+B1+C1
 *
 *     ←→ choose  Enter answer  ? hint  > explore  Esc lessons
 *
 * If there is no run yet, the panel covers the whole screen but the last row.
 * A table or a figure replaces the picture.  Names of the data in slots have
 * the same colours as in the picture. */
#ifndef VIEW_PANEL_H
#define VIEW_PANEL_H

#include "draw/layout.h"
#include "model/scene.h"
#include "text/series.h"
#include "view/keys.h"

enum { PANEL_ITEMS = 10 };

struct panel {
    int number; /* of the lesson; 0: not shown */
    const char *title;
    double progress;   /* of the lesson, 0 to 1; negative: not shown */
    bool full;         /* covers the screen, without a picture */
    const char *table; /* lines shown instead of the picture, or NULL */
    const struct figure *figure; /* drawn in the place of the table, or NULL */
    bool headed;       /* the first line of the text is a heading */
    const char *text;  /* may have several lines */
    const char *items[PANEL_ITEMS]; /* to choose from or to sort */
    int nitems;
    int chosen;        /* index of an item, or -1 */
    int refused;       /* index of an item that was wrong, or -1 */
    int right;         /* index of the item that is right, or -1 */
    char letter;       /* of the first item; 0: items have no letters */
    bool held;         /* the chosen item is being moved */
    bool stacked;      /* one item in each row, even if more would fit */
    const char *typed; /* the answer typed so far; NULL: not a typed answer */
    const char *closing; /* a text below the items, or NULL */
    const char *aside; /* a hint or speaker's notes, below the rest; or NULL */
    const char *status; /* beside the progress, or NULL */
    struct asked_slot asked;
    struct key_line keys; /* which the frame draws */
};

/* Raises the rule over the lowest rows of the picture, so that below the text
 * there is room for the aside, and below the panel for a notice of `notice`
 * rows.  Changes l->panel only. */
void panel_make_room(const struct panel *p, int notice, struct layout *l);

/* Draws the panel in a layout for lessons. */
void panel_draw(const struct panel *whole, enum glyph_set set, struct canvas *c,
                const struct layout *l);

/* The number of rows that the panel's text needs in `columns` columns, and the
 * number of rows that a layout has for it.  If there is a closing text and not
 * enough room, the text above the items is left out, then all items but the
 * right one. */
int panel_rows(const struct panel *p, int columns);
int panel_room(const struct panel *p, const struct layout *l);

#endif
