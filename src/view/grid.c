/* SPDX-License-Identifier: MIT */
/* Grids: torus, mesh, and nodes. The GPUs of a node are one row.
 *
 *     ╭─────────╮       The wrap-around link of a row runs below it, that of a
 *     │ 0 ─ 1 ─ 2 ─╮    column runs to the right of it.
 *     ╰─│───│───│──╯
 *
 * A torus of three dimensions is drawn as planes side by side, each in a frame,
 * with the links between the planes above the rows. */
#include <stdio.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "view/wiring.h"

enum {
    NAME_MAX_BYTES = 64,
    GAP_LEAST = 6, /* columns between boxes, for data that moves in a row */
    GAP_TIGHT = 4, /* for the last way to draw them, if nothing else fits */
};

struct grid {
    int planes, rows, columns;
    bool wraps, nodes;
    int above, below; /* rows for links between planes, for wrap-around links */
    int round;        /* rows above and below, for a column's wrap-around */
    int left;         /* columns for the names of nodes */
    int top;          /* rows for the names of planes, in their frames */
    int bottom;       /* rows for the lower edges of these */
    int side;         /* columns for their left edges, and their right ones */
};

static const char *
node_name(int node, char text[NAME_MAX_BYTES])
{
    snprintf(text, NAME_MAX_BYTES, _("node %d"), node);
    return text;
}

static struct grid
grid_of(const struct schedule *s)
{
    const int *dims = s->topology.dims;
    bool deep = s->topology.kind == TOPOLOGY_TORUS && dims[2] > 1;
    struct grid g = {.planes = deep ? dims[0] : 1,
                     .rows = deep ? dims[1] : dims[0],
                     .columns = deep ? dims[2] : dims[1] * dims[2],
                     .wraps = s->topology.kind != TOPOLOGY_MESH,
                     .nodes = s->topology.kind == TOPOLOGY_NODES};
    char name[NAME_MAX_BYTES];

    g.above = g.planes > 1 ? g.columns * (g.planes > 2 ? 2 : 1) : 0;
    g.below = g.wraps && g.columns > 2;
    g.round = g.wraps && g.rows > 2;
    g.left = g.nodes ? utf8_columns(node_name(g.rows - 1, name)) + 1 : 0;
    g.top = g.bottom = g.planes > 1;
    g.side = g.planes > 1;
    return g;
}

static int
rank_of(const struct grid *g, int plane, int row, int column)
{
    return (plane * g->rows + row) * g->columns + column;
}

/* Adds a link with a group of its own, so that it joins no other link. */
static struct path *
link_of(struct wiring *w, int a, int b)
{
    return wiring_link(w, a, b, w->nlinks + 1);
}

static void
link_right(struct wiring *w, int from, int to)
{
    struct rect a = wiring_box(w, from), b = wiring_box(w, to);
    struct path *p = link_of(w, from, to);

    path_add(p, a.x + a.width - 1, a.y + a.height / 2);
    path_add(p, b.x, b.y + b.height / 2);
}

static void
link_down(struct wiring *w, int from, int to)
{
    struct rect a = wiring_box(w, from), b = wiring_box(w, to);
    struct path *p = link_of(w, from, to);

    path_add(p, a.x + a.width / 2, a.y + a.height - 1);
    path_add(p, b.x + b.width / 2, b.y);
}

/* Adds the wrap-around link from a row's last box to its first. */
static void
link_row_back(struct wiring *w, int from, int to)
{
    struct rect a = wiring_box(w, from), b = wiring_box(w, to);
    struct path *p = link_of(w, from, to);
    int ax = a.x + a.width / 2 - 1, bx = b.x + b.width / 2 - 1;
    int y = a.y + a.height;

    path_add(p, ax, y - 1);
    path_add(p, ax, y);
    path_add(p, bx, y);
    path_add(p, bx, y - 1);
}

/* Adds the wrap-around link from a column's last box to its first. */
static void
link_column_back(struct wiring *w, const struct grid *g, int from, int to)
{
    struct rect a = wiring_box(w, from), b = wiring_box(w, to);
    struct path *p = link_of(w, from, to);
    int x = a.x + a.width / 2 + 1, right = a.x + a.width;
    int below = a.y + a.height + g->below, above = b.y - 1 - g->above;

    path_add(p, x, a.y + a.height - 1);
    path_add(p, x, below);
    path_add(p, right, below);
    path_add(p, right, above);
    path_add(p, x, above);
    path_add(p, x, b.y);
}

/* Adds the link to the rank at the same place in another plane. It runs `lane`
 * rows higher than the row right above the boxes. */
static void
link_plane(struct wiring *w, int from, int to, int lane, int aside)
{
    struct rect a = wiring_box(w, from), b = wiring_box(w, to);
    struct path *p = link_of(w, from, to);
    int ax = a.x + a.width / 2 + aside, bx = b.x + b.width / 2 - 1;

    path_add(p, ax, a.y);
    path_add(p, ax, a.y - 1 - lane);
    path_add(p, bx, a.y - 1 - lane);
    path_add(p, bx, b.y);
}

static void
link_rank(struct wiring *w, const struct grid *g, int plane, int row,
          int column)
{
    int rank = rank_of(g, plane, row, column);

    if (column + 1 < g->columns)
        link_right(w, rank, rank + 1);
    else if (g->below)
        link_row_back(w, rank, rank_of(g, plane, row, 0));
    if (row + 1 < g->rows)
        link_down(w, rank, rank_of(g, plane, row + 1, column));
    else if (g->round)
        link_column_back(w, g, rank, rank_of(g, plane, 0, column));
    if (plane + 1 < g->planes)
        link_plane(w, rank, rank_of(g, plane + 1, row, column), column, 1);
    else if (g->planes > 2)
        link_plane(w, rank, rank_of(g, 0, row, column), g->columns + column,
                   -1);
}

/* The least number of columns between boxes. */
static int
least_gap(const struct grid *g, const struct wiring *w)
{
    if (g->planes == 1 && w->box.form == BLOCK_CELL && w->gap_x == 1)
        return GAP_TIGHT;
    return w->gap_x > GAP_LEAST ? w->gap_x : GAP_LEAST;
}

static bool
place_within(struct wiring *w, struct rect area)
{
    struct grid g = grid_of(w->schedule);
    int gap_y = g.above + g.below + (g.above + g.below == 0);
    int apart = g.planes > 1 ? 2 : 0; /* between planes, added to the gap */
    int right = g.round, pitch_x, first_x, pitch_y, first_y;

    if (gap_y < w->gap_y)
        gap_y = w->gap_y;
    if (!wiring_spread(g.planes * g.columns, w->box.width, least_gap(&g, w),
                       area.width - g.left - right - 2 * g.side -
                           (g.planes - 1) * apart,
                       &pitch_x, &first_x) ||
        !wiring_spread(g.rows, w->box.height, gap_y,
                       area.height - g.top - g.bottom - g.above - g.below -
                           2 * g.round,
                       &pitch_y, &first_y))
        return false;
    for (int plane = 0; plane < g.planes; plane++)
        for (int row = 0; row < g.rows; row++)
            for (int column = 0; column < g.columns; column++)
                w->corners[rank_of(&g, plane, row, column)] = (struct point){
                    area.x + g.left + g.side + first_x + plane * apart +
                        (plane * g.columns + column) * pitch_x,
                    area.y + g.top + g.above + g.round + first_y +
                        row * pitch_y};
    for (int plane = 0; plane < g.planes; plane++)
        for (int row = 0; row < g.rows; row++)
            for (int column = 0; column < g.columns; column++)
                link_rank(w, &g, plane, row, column);
    return true;
}

/* Leaves the last row free for the legend, if it can. */
static bool
place(struct wiring *w, struct rect area)
{
    struct rect above = {area.x, area.y, area.width, area.height - 1};

    return place_within(w, above) || place_within(w, area);
}

static bool
place_flat(struct wiring *w, struct rect area)
{
    return grid_of(w->schedule).planes == 1 && place(w, area);
}

static bool
place_layers(struct wiring *w, struct rect area)
{
    return grid_of(w->schedule).planes > 1 && place(w, area);
}

/* The frame round a plane, with its links but those to other planes. */
static struct rect
plane_frame(const struct grid *g, const struct wiring *w, int plane)
{
    struct rect a = wiring_box(w, rank_of(g, plane, 0, 0));
    struct rect b =
        wiring_box(w, rank_of(g, plane, g->rows - 1, g->columns - 1));
    int x = a.x - g->side, y = a.y - g->above - g->round - 1;
    int right = b.x + b.width + g->round + g->side;
    int bottom = b.y + b.height + g->below + g->round + 1;

    return (struct rect){x, y, right - x, bottom - y};
}

/* Draws the planes' frames, below the links, and their names in these. */
static void
draw_planes(const struct grid *g, const struct scene *s, struct canvas *c,
            const struct wiring *w)
{
    struct pen quiet = {.fg = ROLE_QUIET};
    char name[NAME_MAX_BYTES];

    for (int plane = 0; plane < g->planes; plane++) {
        struct rect r = plane_frame(g, w, plane);
        snprintf(name, sizeof name, _("plane %d"), plane);
        glyph_frame(c, s->glyphs, r, quiet);
        canvas_fill(c, r.x + 2, r.y, utf8_columns(name) + 2, ' ', quiet);
        canvas_puts(c, r.x + 3, r.y, name, quiet);
    }
}

/* Draws names of nodes to the left of their rows. */
static void
draw_nodes(const struct grid *g, struct canvas *c, const struct wiring *w)
{
    char name[NAME_MAX_BYTES];

    for (int row = 0; row < g->rows; row++) {
        struct rect box = wiring_box(w, rank_of(g, 0, row, 0));
        canvas_puts(c, box.x - g->left, box.y + box.height / 2,
                    node_name(row, name), (struct pen){.fg = ROLE_QUIET});
    }
}

/* The dimensions along which data moves. */
enum { ALONG_ROWS = 1, ALONG_COLUMNS = 2, ALONG_PLANES = 4 };

/* The dimensions in which a step moves data. */
static unsigned
dimensions_of(const struct grid *g, const struct schedule *s, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);
    unsigned found = 0;

    for (size_t i = 0; i < count; i++) {
        int from = t[i].src / g->columns, to = t[i].dst / g->columns;
        if (t[i].src % g->columns != t[i].dst % g->columns)
            found |= ALONG_ROWS;
        if (from % g->rows != to % g->rows)
            found |= ALONG_COLUMNS;
        if (from / g->rows != to / g->rows)
            found |= ALONG_PLANES;
    }
    return found;
}

/* Whether the picture leaves the last row of the area free. */
static bool
has_room(const struct grid *g, const struct wiring *w, struct rect area)
{
    struct rect frame = plane_frame(g, w, 0);
    int below = frame.y + frame.height - (g->planes == 1);

    return below < area.y + area.height;
}

/* Names the dimensions in the last row, those of the step as their links are
 * drawn. */
static void
draw_legend(const struct grid *g, const struct scene *s, struct canvas *c,
            struct rect area)
{
    bool deep = g->planes > 1;
    const struct {
        unsigned bit;
        int size;
        const char *name;
    } all[] = {
        {ALONG_ROWS, g->columns,
         g->nodes ? _("within nodes")
         : deep   ? _("z: in the rows")
                  : _("along the rows")},
        {ALONG_COLUMNS, g->rows,
         g->nodes ? _("between nodes")
         : deep   ? _("y: in the columns")
                  : _("along the columns")},
        {ALONG_PLANES, g->planes, _("x: between planes")},
    };
    unsigned now = dimensions_of(g, s->world->schedule, scene_step(s));
    int x = area.x, y = area.y + area.height - 1, width = 0;

    for (int i = 0; i < 3; i++)
        width += all[i].size > 1 ? 6 + utf8_columns(all[i].name) : 0;
    for (int i = 0; i < 3 && width - 3 <= area.width; i++) {
        bool busy = now & all[i].bit;
        struct pen pen = busy ? (struct pen){.attrs = ATTR_BOLD}
                              : (struct pen){.fg = ROLE_QUIET};
        if (all[i].size == 1)
            continue;
        canvas_fill(c, x, y, 2,
                    glyph(s->glyphs, busy ? GLYPH_DONE : GLYPH_HORIZONTAL),
                    pen);
        x += 6 + canvas_puts(c, x + 3, y, all[i].name, pen);
    }
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct grid g = grid_of(s->world->schedule);
    struct wiring w;

    if (!wiring_arrange(&w, s, area, place))
        return;
    if (g.planes > 1)
        draw_planes(&g, s, c, &w);
    wiring_draw(s, c, area, place);
    if (g.nodes)
        draw_nodes(&g, c, &w);
    if ((g.planes > 1) + (g.rows > 1) + (g.columns > 1) > 1 &&
        has_room(&g, &w, area))
        draw_legend(&g, s, c, area);
}

#define GRIDS                                                                 \
    (VIEW_OF(TOPOLOGY_TORUS) | VIEW_OF(TOPOLOGY_MESH) | VIEW_OF(TOPOLOGY_NODES))

const struct view view_grid = {
    .name = N_("grid"),
    .topologies = GRIDS,
    .place = place_flat,
    .draw = draw,
    .symbols = wiring_symbols,
    .moves = true,
};

const struct view view_layers = {
    .name = N_("layers"),
    .topologies = GRIDS,
    .place = place_layers,
    .draw = draw,
    .symbols = wiring_symbols,
    .moves = true,
};
