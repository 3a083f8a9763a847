/* SPDX-License-Identifier: MIT */
#include "draw/route.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "base/mem.h"

enum { UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, ENDS = 16 };

/* The character for each set of sides to which thin and thick lines lead, with
 * each set of glyphs. */
static const uint32_t lines[][2][ENDS + 1] = {
    [GLYPHS_FULL] = {U" │││─╯╮┤─╰╭├─┴┬┼", U" ┃┃┃━┛┓┫━┗┏┣━┻┳╋"},
    [GLYPHS_CONSOLE] = {U" │││─┘┐┤─└┌├─┴┬┼", U" ║║║═╝╗╣═╚╔╠═╩╦╬"},
    [GLYPHS_ASCII] = {U" |||-+++-+++-+++", U" ###=###=###=###"},
};

void
route_add(struct route *p, int x, int y)
{
    assert(p->count < ROUTE_POINTS);
    p->points[p->count++] = (struct point){x, y};
}

struct point
route_end(const struct route *p)
{
    return p->points[p->count - 1];
}

enum glyph
route_arrowhead(const struct route *p)
{
    struct point end = route_end(p), from = p->points[p->count - 2];

    if (end.x != from.x)
        return end.x > from.x ? GLYPH_RIGHT : GLYPH_LEFT;
    return end.y > from.y ? GLYPH_DOWN : GLYPH_UP;
}

static void
move_towards(struct point *p, struct point to)
{
    p->x += (to.x > p->x) - (to.x < p->x);
    p->y += (to.y > p->y) - (to.y < p->y);
}

struct route
route_between(const struct route *p, bool back, bool on_boxes,
              enum glyph *head)
{
    struct route path = *p, way = {0};
    struct point *at = path.points;
    int last = path.count - 1;

    for (int i = 0; i <= last && back; i++)
        at[i] = p->points[last - i];
    *head = route_arrowhead(&path);
    if (!on_boxes)
        return path;
    move_towards(&at[0], at[1]);
    move_towards(&at[last], at[last - 1]);
    for (int i = 0; i <= last; i++)
        if (i == 0 || at[i].x != at[i - 1].x || at[i].y != at[i - 1].y)
            route_add(&way, at[i].x, at[i].y);
    return way;
}

static double
line_length(struct point a, struct point b)
{
    return hypot(b.x - a.x, 2.0 * (b.y - a.y));
}

/* Moves an end of the path inwards if its last piece is horizontal, for a block
 * that is centered there: it takes width / 2 columns left of the end. */
static void
shorten_end(struct point *end, struct point inner, int width)
{
    int room = inner.x - end->x;

    if (inner.y == end->y)
        end->x += room > 0 ? least(room, width / 2)
                           : most(room, -((width - 1) / 2));
}

struct point
route_at(const struct route *p, double progress, int width)
{
    struct route inner = *p;
    int last = p->count - 1;
    struct point at;
    double left = 0;

    if (p->count > 1) {
        shorten_end(&inner.points[0], p->points[1], width);
        shorten_end(&inner.points[last], p->points[last - 1], width);
    }
    for (int i = 1; i <= last; i++)
        left += progress * line_length(inner.points[i - 1], inner.points[i]);
    at = inner.points[last];
    for (int i = 1; i <= last; i++) {
        struct point a = inner.points[i - 1], b = inner.points[i];
        double piece = line_length(a, b);
        if (left <= piece && piece > 0) {
            at.x = a.x + (int)lround(left / piece * (b.x - a.x));
            at.y = a.y + (int)lround(left / piece * (b.y - a.y));
            break;
        }
        left -= piece;
    }
    at.x -= width / 2;
    return at;
}

void
wires_init(struct wires *w, const struct canvas *c)
{
    *w = (struct wires){c->columns, c->rows, .glyphs = c->glyphs};
    w->cells = mem_new((size_t)c->columns * (size_t)c->rows, sizeof *w->cells);
}

/* NULL outside the canvas. */
static struct wire *
wire_at(struct wires *w, struct point at)
{
    return rect_contains((struct rect){0, 0, w->columns, w->rows}, at)
               ? &w->cells[at.y * w->columns + at.x] : NULL;
}

/* Adds the ends of a line to a cell. If the cell belongs to another group, the
 * vertical line wins, unless they join. */
static void
add_line_ends(struct wires *w, struct point at, uint8_t ends,
              const struct wire *line, bool joins)
{
    struct wire *wire = wire_at(w, at);

    if (wire == NULL || wire->slanting != 0)
        return;
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

/* The line goes one column on with each row.  If there are more columns, its
 * ends are level; if there are fewer, parts of it are upright. */
static void
add_slanting(struct wires *w, struct point a, struct point b, struct wire line)
{
    int rows = abs(b.y - a.y), columns = b.x - a.x;
    int run = least(columns, rows);
    int x = a.x, turn = a.x + (columns - run) / 2;

    for (int i = 0; i <= rows; i++) {
        int next = i < rows ? turn + (run * (i + 1) + rows / 2) / rows : b.x;
        int from = turn + (run * i + rows / 2) / rows;
        int last = i == rows && from < b.x ? b.x : from;
        enum glyph turns = i == rows      ? GLYPH_HORIZONTAL
                           : next == from ? GLYPH_VERTICAL
                           : b.y > a.y    ? GLYPH_FALLING
                                          : GLYPH_RISING;

        for (; x <= last; x++) {
            struct wire *wire = wire_at(
                w, (struct point){x, a.y + (b.y > a.y ? i : -i)});
            line.slanting =
                glyph(w->glyphs, x < last ? GLYPH_HORIZONTAL : turns);
            if (wire != NULL &&
                (wire->slanting == 0 || line.style >= wire->style))
                *wire = line;
        }
        x = next;
    }
}

void
wires_add(struct wires *w, const struct route *p, int group,
          enum wire_style style, enum role role)
{
    struct wire line = {.style = (uint8_t)style, .role = (uint8_t)role,
                        .group = (int16_t)group};

    if (p->count == 2 && p->points[1].x > p->points[0].x &&
        p->points[1].y != p->points[0].y) {
        add_slanting(w, p->points[0], p->points[1], line);
        return;
    }
    for (int i = 1; i < p->count; i++) {
        struct point at = p->points[i - 1], b = p->points[i];
        int dx = (b.x > at.x) - (b.x < at.x), dy = (b.y > at.y) - (b.y < at.y);
        uint8_t ahead = dx > 0 ? RIGHT : dx < 0 ? LEFT : dy > 0 ? DOWN : UP;
        uint8_t behind = dx > 0 ? LEFT : dx < 0 ? RIGHT : dy > 0 ? UP : DOWN;
        bool turned = w->joins;

        assert(dx == 0 || dy == 0); /* else it would never get there */

        for (; at.x != b.x || at.y != b.y; at.x += dx, at.y += dy) {
            struct point next = {at.x + dx, at.y + dy};
            add_line_ends(w, at, ahead, &line, turned);
            turned = false;
            add_line_ends(w, next, behind, &line,
                          w->joins && next.x == b.x && next.y == b.y);
        }
    }
}

void
wires_draw(struct wires *w, struct canvas *c)
{
    const struct wire *wire = w->cells;

    for (int y = 0; y < w->rows; y++)
        for (int x = 0; x < w->columns; x++, wire++) {
            bool sideways = (wire->ends & (LEFT | RIGHT)) != 0;
            bool upright = (wire->ends & (UP | DOWN)) != 0;
            bool thick = wire->style == WIRE_THICK;
            uint32_t code = lines[w->glyphs][thick][wire->ends];
            struct pen pen = {.fg = wire->role};
            if (wire->style == WIRE_DOTTED && sideways != upright)
                code = glyph(w->glyphs, sideways ? GLYPH_AHEAD : GLYPH_CUT);
            if (wire->slanting != 0) {
                code = wire->slanting;
                pen.attrs = thick ? ATTR_BOLD : 0;
            }
            if (wire->slanting != 0 || wire->ends != 0)
                canvas_put(c, x, y, code, pen);
        }
    free(w->cells);
}
