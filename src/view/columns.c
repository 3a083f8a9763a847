/* SPDX-License-Identifier: MIT */
#include "view/columns.h"

#include <stdio.h>

#include "base/bounds.h"

enum {
    NAMES_GAP = 2,
    LEFT_EDGE = 4, /* "... ", where columns are left out */
};

/* The width of some columns, or more than `room`. */
static int
span(const struct columns *c, int first, int last, int room)
{
    int width = c->list[first].width;

    for (int i = first + 1; i <= last && width <= room; i++)
        width += c->list[i].gap + c->list[i].width;
    return width;
}

bool
columns_place(struct columns *c, const struct places *p, int least_shown)
{
    int names = places_names(p->schedule) + NAMES_GAP;
    int room = p->area.width - names;
    int end = c->count - 1, spare, gaps, air, x;
    bool all = span(c, 0, end, room) <= room;

    c->first = 0;
    c->last = all ? end : least(p->step + 1, end);
    if (!all) {
        room -= LEFT_EDGE + snprintf(NULL, 0, " ... +%d", c->count);
        for (int i = 0; i <= most(c->count - least_shown, 0); i++)
            if (span(c, i, least(i + least_shown - 1, end), room) > room)
                return false;
        while (span(c, c->first, c->last, room) > room)
            c->first++;
        while (c->last < end && span(c, c->first, c->last + 1, room) <= room)
            c->last++;
    }
    spare = room - span(c, c->first, c->last, room);
    gaps = c->last - c->first;
    air = gaps > 0 ? least(spare / (gaps + c->margin), c->air) : 0;
    c->end = p->scene->taught ? least(p->step, c->last) : c->last;
    c->left = p->area.x + (spare - air * gaps) / 2;
    x = c->left + names + (all ? 0 : LEFT_EDGE);
    for (int i = c->first; i <= c->last; i++) {
        struct column *column = &c->list[i];
        column->gap_x = x;
        column->x = x + (i > c->first ? column->gap + air : 0);
        x = column->x + column->width;
    }
    return true;
}

void
columns_edges(const struct columns *c, struct places *p, int y)
{
    const struct column *first = &c->list[c->first], *last = &c->list[c->last];
    int after = c->count - 1 - c->last;
    char text[24];

    if (c->first > 0)
        places_label(p, first->x - 1 - snprintf(text, sizeof text, "+%d ...",
                                                c->first), y, text);
    snprintf(text, sizeof text, "... +%d", after);
    if (after > 0)
        places_label(p, last->x + last->width + 1, y, text);
}
