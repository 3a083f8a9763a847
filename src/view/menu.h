/* SPDX-License-Identifier: MIT */
/* The menu of lessons:
 *
 *      collviz  lessons                                        7 of 18 done
 *
 *      ✓  1  What is a collective     what ranks call, and what it promises
 *    ▶ ●  2  Broadcast                one rank has the data, all get it
 *         3  Scatter                  ...
 */
#ifndef VIEW_MENU_H
#define VIEW_MENU_H

#include "view/help.h"

enum menu_mark { MENU_NEW, MENU_BEGUN, MENU_DONE, MENU_BROKEN };

struct menu_row {
    enum menu_mark mark;
    int number;
    const char *title, *idea;
};

struct menu {
    const struct menu_row *rows;
    int nrows, chosen;
    const char *notice; /* NULL: none */
};

/* The character that stands for a mark. */
uint32_t menu_glyph(enum menu_mark mark, enum glyph_set set);

void menu_draw(const struct menu *m, enum glyph_set set, struct canvas *c);

/* What its help explains. */
extern const struct help menu_help;

/* The index of the row at `at`, or -1. */
int menu_at(const struct menu *m, const struct canvas *c, struct point at);

#endif
