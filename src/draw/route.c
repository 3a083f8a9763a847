/* SPDX-License-Identifier: MIT */
#include "draw/route.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

void
route_add(struct route *p, int x, int y)
{
    assert(p->count < ROUTE_POINTS);
    p->points[p->count++] = (struct point){x, y};
}

struct route
route_reversed(const struct route *p)
{
    struct route back = {.count = p->count, .upward = !p->upward};

    for (int i = 0; i < p->count; i++)
        back.points[i] = p->points[p->count - 1 - i];
    return back;
}

static double
length(struct point a, struct point b)
{
    return hypot(b.x - a.x, 2.0 * (b.y - a.y));
}

static struct point
point_at(const struct route *p, double progress)
{
    double total = 0, left;

    for (int i = 1; i < p->count; i++)
        total += length(p->points[i - 1], p->points[i]);
    left = progress * total;
    for (int i = 1; i < p->count; i++) {
        struct point a = p->points[i - 1], b = p->points[i];
        double piece = length(a, b);
        if (left <= piece && piece > 0)
            return (struct point){
                a.x + (int)lround(left / piece * (b.x - a.x)),
                a.y + (int)lround(left / piece * (b.y - a.y))};
        left -= piece;
    }
    return p->points[p->count - 1];
}

/* Moves an end of the path inwards if its last piece is horizontal. */
static void
shorten(struct point *end, struct point inner, int by)
{
    int room = inner.x - end->x;

    if (inner.y != end->y)
        return;
    if (abs(room) < by)
        by = abs(room);
    end->x += room < 0 ? -by : by;
}

struct point
route_at(const struct route *p, double progress, int width)
{
    struct route inner = *p;
    int last = p->count - 1;
    struct point at;

    /* A block that is centered at x takes width / 2 columns left of x. */
    if (p->count > 1) {
        bool right = p->points[1].x > p->points[0].x;
        shorten(&inner.points[0], p->points[1],
                right ? width / 2 : (width - 1) / 2);
        right = p->points[last].x > p->points[last - 1].x;
        shorten(&inner.points[last], p->points[last - 1],
                right ? (width - 1) / 2 : width / 2);
    }
    at = point_at(&inner, progress);
    at.x -= width / 2;
    return at;
}

bool
route_slants(const struct route *p)
{
    return p->count == 2 && p->points[1].x > p->points[0].x &&
           p->points[1].y != p->points[0].y;
}

/* The line goes one column on with each row.  If there are more columns, its
 * ends are level; if there are fewer, parts of it are upright. */
void
route_draw_slanting(const struct route *p, struct canvas *c,
                    enum glyph_set set, struct pen pen)
{
    struct point a = p->points[0], b = p->points[1];
    int rows = abs(b.y - a.y), columns = b.x - a.x;
    int run = columns < rows ? columns : rows;
    int x = a.x, turn = a.x + (columns - run) / 2;

    for (int i = 0; i <= rows; i++) {
        int next = i < rows ? turn + (run * (i + 1) + rows / 2) / rows : b.x;
        int from = turn + (run * i + rows / 2) / rows;
        enum glyph line = i == rows      ? GLYPH_HORIZONTAL
                          : next == from ? GLYPH_VERTICAL
                          : b.y > a.y    ? GLYPH_FALLING
                                         : GLYPH_RISING;
        int y = a.y + (b.y > a.y ? i : -i);

        for (; x < from || (i == rows && x < b.x); x++)
            canvas_put(c, x, y, glyph(set, GLYPH_HORIZONTAL), pen);
        canvas_put(c, x, y, glyph(set, line), pen);
        x = next;
    }
}
