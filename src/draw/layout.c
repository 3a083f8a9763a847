/* SPDX-License-Identifier: MIT */
#include "draw/layout.h"

/* With fewer rows, there is no row for the bytes sent. */
enum { TRAFFIC_ROWS = 18 };

bool
layout(int columns, int rows, bool lesson, struct layout *l)
{
    int air = rows >= LAYOUT_AIRY_ROWS;
    int end = rows - 1 - air; /* of the rows below the picture */
    int text = LAYOUT_PANEL_ROWS + (rows - LAYOUT_ROWS_FULL) / 6;

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
    l->picture = (struct rect){1, 2 + air + (rows >= LAYOUT_ROWS_FULL),
                               columns - 2, 0};
    l->picture.height = l->now - air - l->picture.y;
    if (!lesson)
        return columns >= LAYOUT_COLUMNS_LEAST && rows >= LAYOUT_ROWS_LEAST;
    l->panel = (struct rect){0, l->keys - 1 - text, columns, 1 + text};
    l->picture.y = l->progress + 1;
    l->picture.height = l->panel.y - l->picture.y;
    return columns >= LAYOUT_COLUMNS_FULL && rows >= LAYOUT_ROWS_FULL - 1;
}
