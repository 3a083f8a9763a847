/* SPDX-License-Identifier: MIT */
/* The menu of lessons:
 *
 *      collviz  lessons                           7 of 18 read, 5 passed
 *
 *      ✓  1  What is a collective   day 1  3 min  4/4 passed  what ranks ...
 *    ▶ ●  2  Broadcast                     4 min  2/5         one rank has ...
 *         3  Scatter                       5 min              ...
 */
#ifndef VIEW_MENU_H
#define VIEW_MENU_H

#include "view/help.h"

/* MENU_READ: to its end, but it has not been passed. */
enum menu_mark { MENU_NEW, MENU_BEGUN, MENU_READ, MENU_DONE, MENU_BROKEN };

struct menu_row {
    enum menu_mark mark;
    int number;
    int day, minutes; /* 0: unknown */
    const char *title, *idea;
    bool read, passed; /* to its end; also of a lesson that was begun again */
    int asked, right; /* the score; asked 0: none */
    bool program; /* it is about a program, which can be shown */
};

struct menu {
    const struct menu_row *rows;
    int nrows, chosen;
    const char *notice; /* NULL: none */
};

/* The state of its keys: bits of enum key_when. */
unsigned menu_state(const struct menu *m);

/* Whether a mark says that the lesson was read to its end. */
bool menu_is_read(enum menu_mark mark);

/* The character that stands for a mark. */
uint32_t menu_glyph(enum menu_mark mark, enum glyph_set set);

void menu_draw(const struct menu *m, enum glyph_set set, struct canvas *c);

/* What its help explains. */
extern const struct help menu_help;

/* The index of the row at `at`, or -1. */
int menu_at(const struct menu *m, const struct canvas *c, struct point at);

#endif
