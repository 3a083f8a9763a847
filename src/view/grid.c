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

#include "base/bounds.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "view/places.h"

enum {
    NAME_MAX_BYTES = 64,
    GAP_LEAST = 5, /* columns between boxes, for data that moves in a row */
    GAP_TIGHT = 4, /* for the last way to draw them, if nothing else fits */
    PLANE_GAP = 2, /* between planes, added to the gap */
};

struct grid {
    int planes, rows, columns;
    bool wraps, nodes;
    int deep;         /* 1: there are planes, in frames; else 0 */
    int above, below; /* rows for links between planes, for wrap-around links */
    int round;        /* rows above and below, for a column's wrap-around */
    int left;         /* columns for the names of nodes */
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

    g.deep = g.planes > 1;
    g.above = g.deep ? g.columns * (g.planes > 2 ? 2 : 1) : 0;
    g.below = g.wraps && g.columns > 2;
    g.round = g.wraps && g.rows > 2;
    g.left = g.nodes ? utf8_columns(node_name(g.rows - 1, name)) + 1 : 0;
    return g;
}

static int
rank_of(const struct grid *g, int plane, int row, int column)
{
    return (plane * g->rows + row) * g->columns + column;
}

/* Adds the links of a rank to the next one in its row, its column and to the
 * same place in the next plane, or back to the first.  Each has a group of its
 * own, so that it joins no other link. */
static void
link_rank(struct places *p, const struct grid *g, int plane, int row,
          int column)
{
    int rank = rank_of(g, plane, row, column);
    int to[] = {rank_of(g, plane, row, (column + 1) % g->columns),
                rank_of(g, plane, (row + 1) % g->rows, column),
                rank_of(g, (plane + 1) % g->planes, row, column)};
    const struct rect *a = &p->boxes[rank];
    int x = a->x + p->box.width / 2, right = a->x + p->box.width;
    int under = a->y + p->box.height, below = under + g->below;
    int above = p->boxes[to[1]].y - 1 - g->above;
    struct point middle = places_middle(p, rank, to[0]);
    struct point round[] = {
        {x + 1, below}, {right, below}, {right, above}, {x + 1, above}};
    bool last = plane + 1 == g->planes;
    int lane = a->y - 1 - column - (last ? g->columns : 0);

    if (column + 1 < g->columns)
        places_link(p, rank, to[0], p->nroads + 1, &middle, 1);
    else if (g->below)
        places_arch(p, rank, to[0], p->nroads + 1, under, -1, -1);
    middle = places_middle(p, rank, to[1]);
    if (row + 1 < g->rows)
        places_link(p, rank, to[1], p->nroads + 1, &middle, 1);
    else if (g->round)
        places_link(p, rank, to[1], p->nroads + 1, round, 4);
    if (!last || g->planes > 2)
        places_arch(p, rank, to[2], p->nroads + 1, lane, last ? -1 : 1, -1);
}

/* Names the dimensions in the last row, after a line like those of their links:
 * thick if the step moves data along them. */
static void
add_legend(const struct grid *g, struct places *p, struct rect area)
{
    const struct {
        int size, apart; /* ranks from one to the next */
        const char *name;
    } all[] = {
        {g->columns, 1,
         g->nodes  ? _("within nodes")
         : g->deep ? _("z: in the rows")
                   : _("along the rows")},
        {g->rows, g->columns,
         g->nodes  ? _("between nodes")
         : g->deep ? _("y: in the columns")
                   : _("along the columns")},
        {g->planes, g->columns * g->rows, _("x: between planes")},
    };
    size_t count;
    const struct transfer *t = schedule_transfers(p->schedule, p->step, &count);
    int x = area.x + 1, y = area.y + area.height - 1;

    if (g->deep + (g->rows > 1) + (g->columns > 1) < 2)
        return;
    for (int i = 0; i < 3; i++) {
        bool used = false;
        char line[4 + 1] = "";
        if (all[i].size == 1 ||
            x + 3 + utf8_columns(all[i].name) > area.x + area.width)
            continue;
        for (size_t k = 0; k < count; k++)
            used = used || t[k].src / all[i].apart % all[i].size !=
                               t[k].dst / all[i].apart % all[i].size;
        utf8_put(line, glyph(p->scene->glyphs,
                             used ? GLYPH_DONE : GLYPH_HORIZONTAL));
        for (int k = 0; k < 3; k++) {
            struct label *label =
                places_label(p, x, y, k < 2 ? line : all[i].name);
            label->pen = used ? strong : label->pen;
            x += label->width + (k == 1);
        }
        x += 4;
    }
}

/* A plane's frame has its links, but those to other planes. */
static bool
place_within(struct places *p, const struct grid *g, struct rect area)
{
    int lanes = g->above + g->below;
    bool tight = !g->deep && p->look.form == BLOCK_BAR && p->look.gap_x == 1;
    int gap_x = tight ? GAP_TIGHT : most(p->look.gap_x, GAP_LEAST);
    int pitch_x, first_x, pitch_y, first_y;
    char name[NAME_MAX_BYTES];

    if (!places_spread(g->planes * g->columns, p->box.width, gap_x,
                       area.width - g->left - g->round - 2 * g->deep -
                           (g->planes - 1) * PLANE_GAP,
                       &pitch_x, &first_x) ||
        !places_spread(g->rows, p->box.height,
                       most(p->look.gap_y, most(lanes, 1)),
                       area.height - 2 * g->deep - lanes - 2 * g->round,
                       &pitch_y, &first_y))
        return false;
    for (int rank = 0; rank < p->schedule->nranks; rank++) {
        int column = rank % g->columns, row = rank / g->columns % g->rows;
        int plane = rank / g->columns / g->rows;
        places_box(p, rank,
                   area.x + g->left + g->deep + first_x + plane * PLANE_GAP +
                       (plane * g->columns + column) * pitch_x,
                   area.y + g->deep + g->above + g->round + first_y +
                       row * pitch_y);
    }
    for (int plane = 0; plane < g->planes; plane++)
        for (int row = 0; row < g->rows; row++)
            for (int column = 0; column < g->columns; column++)
                link_rank(p, g, plane, row, column);
    for (int plane = 0; plane < g->planes && g->deep; plane++) {
        struct rect a = p->boxes[rank_of(g, plane, 0, 0)];
        struct rect b = p->boxes[rank_of(g, plane, g->rows - 1,
                                         g->columns - 1)];
        int x = a.x - 1, y = a.y - g->above - g->round - 1;
        snprintf(name, sizeof name, _("plane %d"), plane);
        places_label(p, x + 3, y, name)->frame = (struct rect){
            x, y, b.x + b.width + g->round + 1 - x,
            b.y + b.height + g->below + g->round + 1 - y};
    }
    for (int row = 0; row < g->rows && g->nodes; row++) {
        struct rect box = p->boxes[rank_of(g, 0, row, 0)];
        places_label(p, box.x - g->left, box.y + box.height / 2,
                     node_name(row, name));
    }
    return true;
}

/* Leaves the last row free for the legend, if it can. */
static bool
place(struct places *p)
{
    struct rect area = p->area;
    struct grid g = grid_of(p->schedule);
    struct rect above = {area.x, area.y, area.width, area.height - 1};

    if (p->schedule->topology.switches > 0)
        return false;
    if (!place_within(p, &g, above))
        return place_within(p, &g, area);
    add_legend(&g, p, area);
    return true;
}

const struct view view_grid = {
    .name = N_("grid"),
    .topologies = VIEW_OF(TOPOLOGY_TORUS) | VIEW_OF(TOPOLOGY_MESH) |
                  VIEW_OF(TOPOLOGY_NODES),
    .place = place,
};
