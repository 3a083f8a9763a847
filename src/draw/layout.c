/* SPDX-License-Identifier: MIT */
#include "draw/layout.h"

/* With fewer rows, there is no row for the bytes sent. */
enum { TRAFFIC_ROWS = 18 };

static void
make_room_for_lesson(int columns, int rows, struct layout *l)
{
    int text = LAYOUT_PANEL_ROWS + (rows - LAYOUT_ROWS_FULL) / 6;
    int top = l->keys - 1 - text;

    l->panel = (struct rect){0, top, columns, 1 + text};
    l->picture.y = l->progress + 1;
    l->picture.height = top - l->picture.y;
}

bool
layout(int columns, int rows, bool lesson, struct layout *l)
{
    int air = rows >= LAYOUT_AIRY_ROWS;
    int end = rows - 1 - air; /* of the rows below the picture */

    *l = (struct layout){
        .margin = 1,
        .width = columns - 2,
        .title = 0,
        .progress = 1 + air,
        .keys = rows - 1,
        .traffic = rows >= TRAFFIC_ROWS ? end - 1 : -1,
        .words = columns >= LAYOUT_COLUMNS_FULL ? 2 : 3,
    };
    l->now = end - (l->traffic >= 0) - air - l->words;
    l->next = l->now + 1;
    l->picture.x = 1;
    l->picture.width = columns - 2;
    l->picture.y = l->progress + 1 + (rows >= LAYOUT_ROWS_FULL);
    l->picture.height = l->now - air - l->picture.y;
    if (lesson)
        make_room_for_lesson(columns, rows, l);
    return lesson ? columns >= LAYOUT_COLUMNS_FULL &&
                        rows >= LAYOUT_ROWS_FULL - 1
                  : columns >= LAYOUT_COLUMNS_LEAST &&
                        rows >= LAYOUT_ROWS_LEAST;
}
