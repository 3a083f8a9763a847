/* SPDX-License-Identifier: MIT */
#include "draw/layout.h"

static void
make_room_for_lesson(int columns, int rows, struct layout *l)
{
    int text = LAYOUT_PANEL_ROWS + (rows - LAYOUT_ROWS_LEAST) / 6;
    int top = l->keys - 1 - text;

    l->panel = (struct rect){0, top, columns, 1 + text};
    l->picture.y = l->progress + 1;
    l->picture.height = top - l->picture.y;
}

bool
layout(int columns, int rows, bool lesson, struct layout *l)
{
    int air = rows >= LAYOUT_AIRY_ROWS;

    *l = (struct layout){
        .margin = 1,
        .width = columns - 2,
        .title = 0,
        .progress = 1 + air,
        .keys = rows - 1,
        .traffic = rows - 2 - air,
        .next = rows - 3 - 2 * air,
        .now = rows - 4 - 2 * air,
    };
    l->picture.x = 1;
    l->picture.width = columns - 2;
    l->picture.y = l->progress + 2;
    l->picture.height = l->now - air - l->picture.y;
    if (lesson)
        make_room_for_lesson(columns, rows, l);
    return columns >= LAYOUT_COLUMNS_LEAST && rows >= LAYOUT_ROWS_LEAST;
}
