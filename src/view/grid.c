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
#include "view/painter.h"
#include "view/view.h"

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
static void
link_ranks(struct places *p, int a, int b, const struct point *corners,
           int count)
{
    places_link(p, a, b, p->nroads + 1, corners, count);
}

/* Adds the wrap-around link from a row's last box to its first. */
static void
link_row_back(struct places *p, int from, int to)
{
    struct rect a = p->boxes[from], b = p->boxes[to];
    int y = a.y + a.height;
    struct point corners[] = {{a.x + a.width / 2 - 1, y},
                              {b.x + b.width / 2 - 1, y}};

    link_ranks(p, from, to, corners, 2);
}

/* Adds the wrap-around link from a column's last box to its first. */
static void
link_column_back(struct places *p, const struct grid *g, int from, int to)
{
    struct rect a = p->boxes[from], b = p->boxes[to];
    int x = a.x + a.width / 2 + 1, right = a.x + a.width;
    int below = a.y + a.height + g->below, above = b.y - 1 - g->above;
    struct point corners[] = {
        {x, below}, {right, below}, {right, above}, {x, above}};

    link_ranks(p, from, to, corners, 4);
}

/* Adds the link to the rank at the same place in another plane. It runs `lane`
 * rows higher than the row right above the boxes. */
static void
link_plane(struct places *p, int from, int to, int lane, int aside)
{
    struct rect a = p->boxes[from], b = p->boxes[to];
    struct point corners[] = {{a.x + a.width / 2 + aside, a.y - 1 - lane},
                              {b.x + b.width / 2 - 1, a.y - 1 - lane}};

    link_ranks(p, from, to, corners, 2);
}

static void
link_rank(struct places *p, const struct grid *g, int plane, int row,
          int column)
{
    int rank = rank_of(g, plane, row, column), next;
    struct point middle;

    if (column + 1 < g->columns) {
        middle = places_middle(p, rank, rank + 1);
        link_ranks(p, rank, rank + 1, &middle, 1);
    } else if (g->below) {
        link_row_back(p, rank, rank_of(g, plane, row, 0));
    }
    next = rank_of(g, plane, (row + 1) % g->rows, column);
    if (row + 1 < g->rows) {
        middle = places_middle(p, rank, next);
        link_ranks(p, rank, next, &middle, 1);
    } else if (g->round) {
        link_column_back(p, g, rank, next);
    }
    next = rank_of(g, (plane + 1) % g->planes, row, column);
    if (plane + 1 < g->planes)
        link_plane(p, rank, next, column, 1);
    else if (g->planes > 2)
        link_plane(p, rank, next, g->columns + column, -1);
}

/* The least number of columns between boxes. */
static int
least_gap(const struct grid *g, const struct places *p)
{
    if (g->planes == 1 && p->look.form == BLOCK_BAR && p->look.gap_x == 1)
        return GAP_TIGHT;
    return p->look.gap_x > GAP_LEAST ? p->look.gap_x : GAP_LEAST;
}

/* Puts the frame round a plane, with its links but those to other planes. */
static void
frame_plane(const struct grid *g, struct places *p, int plane)
{
    struct rect a = p->boxes[rank_of(g, plane, 0, 0)];
    struct rect b = p->boxes[rank_of(g, plane, g->rows - 1, g->columns - 1)];
    int x = a.x - g->side, y = a.y - g->above - g->round - 1;
    int right = b.x + b.width + g->round + g->side;
    int bottom = b.y + b.height + g->below + g->round + 1;
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof name, _("plane %d"), plane);
    places_frame(p, (struct rect){x, y, right - x, bottom - y}, name);
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

/* Names the dimensions in the last row, those of the step in bold. */
static void
add_legend(const struct grid *g, struct places *p, struct rect area)
{
    const struct {
        unsigned bit;
        int size;
        const char *name;
    } all[] = {
        {ALONG_ROWS, g->columns,
         g->nodes        ? _("within nodes")
         : g->planes > 1 ? _("z: in the rows")
                         : _("along the rows")},
        {ALONG_COLUMNS, g->rows,
         g->nodes        ? _("between nodes")
         : g->planes > 1 ? _("y: in the columns")
                         : _("along the columns")},
        {ALONG_PLANES, g->planes, _("x: between planes")},
    };
    unsigned now = dimensions_of(g, p->schedule, p->step);
    int x = area.x + 1, y = area.y + area.height - 1;

    if ((g->planes > 1) + (g->rows > 1) + (g->columns > 1) < 2)
        return;
    for (int i = 0; i < 3; i++) {
        struct label *label;
        if (all[i].size == 1 ||
            x + utf8_columns(all[i].name) > area.x + area.width)
            continue;
        label = places_label(p, x, y, all[i].name);
        if (now & all[i].bit)
            label->pen = (struct pen){.attrs = ATTR_BOLD};
        x += label->width + 4;
    }
}

static bool
place_within(struct places *p, const struct grid *g, struct rect area)
{
    int gap_y = g->above + g->below + (g->above + g->below == 0);
    int apart = g->planes > 1 ? 2 : 0; /* between planes, added to the gap */
    int pitch_x, first_x, pitch_y, first_y;
    char name[NAME_MAX_BYTES];

    if (gap_y < p->look.gap_y)
        gap_y = p->look.gap_y;
    if (!places_spread(g->planes * g->columns, p->box.width, least_gap(g, p),
                       area.width - g->left - g->round - 2 * g->side -
                           (g->planes - 1) * apart,
                       &pitch_x, &first_x) ||
        !places_spread(g->rows, p->box.height, gap_y,
                       area.height - g->top - g->bottom - g->above -
                           g->below - 2 * g->round,
                       &pitch_y, &first_y))
        return false;
    for (int rank = 0; rank < p->schedule->nranks; rank++) {
        int column = rank % g->columns, row = rank / g->columns % g->rows;
        int plane = rank / g->columns / g->rows;
        places_box(p, rank,
                   area.x + g->left + g->side + first_x + plane * apart +
                       (plane * g->columns + column) * pitch_x,
                   area.y + g->top + g->above + g->round + first_y +
                       row * pitch_y);
    }
    for (int plane = 0; plane < g->planes; plane++)
        for (int row = 0; row < g->rows; row++)
            for (int column = 0; column < g->columns; column++)
                link_rank(p, g, plane, row, column);
    for (int plane = 0; plane < g->planes && g->planes > 1; plane++)
        frame_plane(g, p, plane);
    for (int row = 0; row < g->rows && g->nodes; row++) {
        struct rect box = p->boxes[rank_of(g, 0, row, 0)];
        places_label(p, box.x - g->left, box.y + box.height / 2,
                     node_name(row, name));
    }
    return true;
}

/* Leaves the last row free for the legend, if it can. */
static bool
place(struct places *p, const struct grid *g, struct rect area)
{
    struct rect above = {area.x, area.y, area.width, area.height - 1};

    if (!place_within(p, g, above))
        return place_within(p, g, area);
    add_legend(g, p, area);
    return true;
}

static bool
place_flat(struct places *p, struct rect area)
{
    struct grid g = grid_of(p->schedule);

    return g.planes == 1 && place(p, &g, area);
}

static bool
place_layers(struct places *p, struct rect area)
{
    struct grid g = grid_of(p->schedule);

    return g.planes > 1 && place(p, &g, area);
}

#define GRIDS                                                                 \
    (VIEW_OF(TOPOLOGY_TORUS) | VIEW_OF(TOPOLOGY_MESH) | VIEW_OF(TOPOLOGY_NODES))

const struct view view_grid = {
    .name = N_("grid"),
    .topologies = GRIDS,
    .place = place_flat,
    .boxes = true,
    .symbols = painter_symbols,
    .moves = true,
};

const struct view view_layers = {
    .name = N_("layers"),
    .topologies = GRIDS,
    .place = place_layers,
    .boxes = true,
    .symbols = painter_symbols,
    .moves = true,
};
