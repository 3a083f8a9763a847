/* SPDX-License-Identifier: MIT */
#include "draw/wires.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "draw/glyph.h"

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, ENDS = 16 };

/* The character for each set of sides to which lines lead. */
static const uint32_t lines[2][ENDS + 1] = {
    U" │││─╯╮┤─╰╭├─┴┬┼", /* thin, thick */
    U" ┃┃┃━┛┓┫━┗┏┣━┻┳╋"};
static const uint32_t console_lines[2][ENDS + 1] = {
    U" │││─┘┐┤─└┌├─┴┬┼",
    U" ║║║═╝╗╣═╚╔╠═╩╦╬"};

static uint32_t
character(const struct wire *wire, enum glyph_set set)
{
    bool thick = wire->style == WIRE_THICK;
    bool sideways = (wire->ends & (LEFT | RIGHT)) != 0;
    bool upright = (wire->ends & (UP | DOWN)) != 0;

    if (set == GLYPHS_ASCII && thick)
        return sideways && !upright ? '=' : '#';
    if (set == GLYPHS_ASCII)
        return sideways && upright ? '+' : sideways ? '-' : '|';
    if (wire->style == WIRE_DOTTED && sideways != upright)
        return glyph(set, sideways ? GLYPH_AHEAD : GLYPH_CUT);
    return (set == GLYPHS_CONSOLE ? console_lines : lines)[thick][wire->ends];
}

void
wires_init(struct wires *w, struct rect area)
{
    w->area = area;
    w->cells = mem_new((size_t)area.width * (size_t)area.height,
                       sizeof *w->cells);
}

void
wires_done(struct wires *w)
{
    free(w->cells);
}

/* Adds the ends of a line to a cell. If the cell belongs to another group, the
 * vertical line wins, unless they join. */
static void
lead(struct wires *w, struct point at, uint8_t ends, const struct wire *line,
     bool joins)
{
    int x = at.x - w->area.x, y = at.y - w->area.y;
    struct wire *wire;

    if (x < 0 || y < 0 || x >= w->area.width || y >= w->area.height)
        return;
    wire = &w->cells[y * w->area.width + x];
    if (wire->ends != 0 && wire->group != line->group && !joins &&
        (wire->ends | ends) & (UP | DOWN)) {
        if (wire->ends & (UP | DOWN) || !(ends & (UP | DOWN)))
            return;
        *wire = (struct wire){0};
    }
    if (wire->ends == 0 || line->style > wire->style) {
        wire->role = line->role;
        wire->style = line->style;
    }
    wire->ends |= ends;
    wire->group = line->group;
}

void
wires_add(struct wires *w, const struct route *p, int group,
          enum wire_style style, enum role role)
{
    struct wire line = {.style = (uint8_t)style, .role = (uint8_t)role,
                        .group = (int16_t)group};

    for (int i = 1; i < p->count; i++) {
        struct point at = p->points[i - 1], b = p->points[i];
        int dx = (b.x > at.x) - (b.x < at.x), dy = (b.y > at.y) - (b.y < at.y);
        uint8_t ahead = dx > 0 ? RIGHT : dx < 0 ? LEFT : dy > 0 ? DOWN : UP;
        uint8_t behind = dx > 0 ? LEFT : dx < 0 ? RIGHT : dy > 0 ? UP : DOWN;
        bool turned = w->joins;

        assert(dx == 0 || dy == 0); /* else it would never get there */

        for (; at.x != b.x || at.y != b.y; at.x += dx, at.y += dy) {
            struct point next = {at.x + dx, at.y + dy};
            lead(w, at, ahead, &line, turned);
            turned = false;
            lead(w, next, behind, &line,
                 w->joins && next.x == b.x && next.y == b.y);
        }
    }
}

void
wires_draw(const struct wires *w, struct canvas *c, enum glyph_set set)
{
    for (int y = 0; y < w->area.height; y++)
        for (int x = 0; x < w->area.width; x++) {
            const struct wire *wire = &w->cells[y * w->area.width + x];
            if (wire->ends != 0)
                canvas_put(c, w->area.x + x, w->area.y + y,
                           character(wire, set),
                           (struct pen){.fg = wire->role});
        }
}
