/* SPDX-License-Identifier: MIT */
/* The teacher's part of the screen, below the picture:
 *
 *     ─ 11 · Ring all-reduce ───────────────────────────────── ━━━━━●┄┄┄┄ ─
 *     After one more step, what does GPU 1 hold in slot 1?
 *       B1        ▶ A1+B1        A1+B1+C1
 *
 *     ←→ choose  Enter answer  ? hint  Esc play by yourself
 *
 * or, where there is no run yet or a table, all of the screen but its lowest
 * row.  Names of what is in slots have the colours that they have in the
 * picture. */
#ifndef VIEW_PANEL_H
#define VIEW_PANEL_H

#include "draw/glyph.h"
#include "draw/layout.h"
#include "model/scene.h"

enum { PANEL_ITEMS = 10, PANEL_KEYS = 8 };

struct panel_key {
    const char *name, *what; /* translated */
};

struct panel {
    int number; /* of the lesson; 0: none is said */
    const char *title;
    double progress;  /* of the lesson, 0 to 1 */
    bool full;        /* there is no picture to leave room for */
    const char *table; /* rows of columns instead of the picture, or NULL */
    bool headed;      /* the text's first line stands out */
    const char *text; /* lines */
    const char *items[PANEL_ITEMS]; /* to choose from, or to be put in order */
    int nitems;
    int chosen;     /* of the items; -1: none */
    bool held;      /* the chosen one is being moved */
    bool stacked;   /* an item a row, in any case */
    const char *typed; /* as an answer, so far; NULL: nothing is typed */
    const char *aside; /* a hint, speaker's notes: above the rule; or NULL */
    struct asked_slot asked;
    struct panel_key keys[PANEL_KEYS]; /* name NULL ends them */
};

/* Behind those that there are, if there is room. */
void panel_add_key(struct panel *p, const char *name, const char *what);

/* In a layout for lessons. */
void panel_draw(const struct panel *p, enum glyph_set set, struct canvas *c,
                const struct layout *l);

/* Rows of text that it needs at so many columns, and has in a layout. */
int panel_rows(const struct panel *p, int columns);
int panel_room(const struct panel *p, const struct layout *l);

#endif
