/* SPDX-License-Identifier: MIT */
/* Grids: torus, mesh, and nodes. The GPUs of a node are one row.  A switch of
 * theirs is at its end, that of all nodes outside.
 *
 *     ╭─────────╮       The wrap-around link of a row runs below it, that of a
 *     │ 0 ─ 1 ─ 2 ─╮    column runs to the right of it.
 *     ╰─│───│───│──╯
 *
 * A torus of three dimensions is drawn as planes side by side, each in a frame,
 * with the links between the planes above the rows. */
#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "text/word.h"
#include "view/places.h"

enum {
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
};

/* The columns that the names of so many nodes take, and a blank. */
static int
name_columns(int nodes)
{
    return utf8_columns(word_of(_("node %d"), nodes - 1).text) + 1;
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

    g.deep = g.planes > 1;
    g.above = g.deep ? g.columns * (g.planes > 2 ? 2 : 1) : 0;
    g.below = g.wraps && g.columns > 2;
    g.round = g.wraps && g.rows > 2;
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
        utf8_put(line, glyph(p->glyphs,
                             used ? GLYPH_DONE : GLYPH_HORIZONTAL));
        for (int k = 0; k < 3; k++) {
            struct label *label =
                places_label(p, x, y, "%s", k < 2 ? line : all[i].name);
            label->pen = used ? strong : label->pen;
            x += label->width + (k == 1);
        }
        x += 4;
    }
}

/* The frame of a plane has its links in it, except those to other planes. */
static bool
place_within(struct places *p, const struct grid *g, struct rect area)
{
    bool named = g->nodes && p->framed.gpus == 0; /* else the frames are */
    int left = named ? name_columns(g->rows) : 0;
    int lanes = g->above + g->below + (g->nodes && !named ? 2 : 0);
    bool tight = !g->deep && p->look.form == BLOCK_BAR && p->look.gap_x == 1;
    int gap_x = tight ? GAP_TIGHT : most(p->look.gap_x, GAP_LEAST);
    int pitch_x, first_x, pitch_y, first_y;

    if (!places_spread(g->planes * g->columns, p->box.width, gap_x,
                       area.width - left - g->round - 2 * g->deep -
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
                   area.x + left + g->deep + first_x + plane * PLANE_GAP +
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
        places_label(p, x + 3, y, _("plane %d"), plane)->frame = (struct rect){
            x, y, b.x + b.width + g->round + 1 - x,
            b.y + b.height + g->below + g->round + 1 - y};
    }
    for (int row = 0; row < g->rows && named; row++) {
        struct rect box = p->boxes[rank_of(g, 0, row, 0)];
        places_label(p, box.x - left, box.y + box.height / 2, _("node %d"),
                     row);
    }
    return true;
}

/* Nodes with switches.  Roads are where some step moves data.
 *
 *     ╭ node 0 ────────────────────────╮    To a switch they run below the
 *     │ ╭ 0 ╮ ╭ 1 ╮ ╭ 2 ╮ ╔ switch 0 ╗ │    boxes, between GPUs of a node
 *     │ ╰─│─╯ ╰─│─╯ ╰─│─╯ ╚════│═════╝ │    side by side or above them,
 *     │   ╰─────┴─────┴────────╯       │    between nodes in a column or, past
 *     ╰────────────────────────────────╯    other nodes, to the right of it. */

enum { TRUNK = 3 }; /* columns of the road to a switch outside of nodes */

struct links {
    int lanes;      /* right of a column */
    bool above;     /* there are roads above the boxes */
    uint8_t used[]; /* [a * nranks + b], a < b: 0: no road; 1 + its lane */
};

/* Whether a road that passes other nodes can take a lane. */
static bool
is_free_lane(const struct links *l, const struct schedule *s, int from, int to,
             int lane)
{
    int n = s->nranks, per = s->topology.dims[1];

    for (int a = 0; a < to; a++)
        for (int b = most(a + 2, from + 1); b < s->topology.dims[0]; b++)
            if (l->used[a * per * n + b * per] == 1 + lane &&
                (a != from || b != to))
                return false;
    return true;
}

static struct links *
note_links(const struct schedule *s)
{
    int n = s->nranks, members = schedule_members(s);
    int nodes = s->topology.dims[0], per = s->topology.dims[1];
    struct links *l = mem_new(1, sizeof *l + (size_t)n * (size_t)n);
    uint8_t *used;

    for (size_t i = 0; i < s->ntransfers; i++) {
        const struct transfer *t = &s->transfers[i];
        int a = least(t->src, t->dst), b = most(t->src, t->dst);
        l->used[a * n + b] = a < b;
        l->above |= b < members && a / per == b / per && b > a + 1;
    }
    for (int apart = 2; apart < nodes; apart++)
        for (int a = 0; a + apart < nodes; a++) {
            used = &l->used[a * per * n + (a + apart) * per];
            for (int lane = 0; *used > 0 &&
                               !is_free_lane(l, s, a, a + apart, lane); )
                *used = (uint8_t)(1 + ++lane);
            l->lanes = most(l->lanes, *used);
        }
    return l;
}

static void
link_pair(struct places *p, const struct links *l, int a, int b)
{
    const struct schedule *s = p->schedule;
    int per = s->topology.dims[1], members = schedule_members(s);
    const struct rect *box = &p->boxes[a], *other = &p->boxes[b];
    int under = box->y + box->height, aside = box->width >= 8 ? 2 : 1;
    int middle = box->x + box->width / 2;
    int nodes = a / per * per * s->nranks + b / per * per;
    int lane = box->x + box->width + least(l->used[nodes], l->lanes) - 1;
    struct point trunk[] = {
        {middle, under},
        {other->x - TRUNK + 1, under},
        {other->x - TRUNK + 1, other->y + other->height / 2}};
    struct point past[] = {{lane, box->y + 1}, {lane, other->y + 1}};
    struct point between = places_middle(p, a, b);

    if (b >= members && s->topology.switches == 1 && s->topology.dims[0] > 1)
        places_link(p, a, b, b, trunk, 3);
    else if (b >= members)
        places_arch(p, a, b, b, under, 0, 0);
    else if (a / per == b / per && b > a + 1)
        places_arch(p, a, b, -1 - a / per, box->y - 1, 0, 0);
    else if (b / per > a / per + 1)
        places_link(p, a, b, s->nranks + p->nroads, past, 2);
    else {
        between.x -= b / per > a / per ? aside : 0;
        places_link(p, a, b, s->nranks + p->nroads, &between, 1);
    }
}

static bool
place_switches(struct places *p)
{
    const struct schedule *s = p->schedule;
    int nodes = s->topology.dims[0], per = s->topology.dims[1];
    int members = schedule_members(s);
    bool framed = p->framed.gpus > 0;
    bool outside = s->topology.switches == 1 && nodes > 1;
    const struct links *l = p->own = p->own != NULL ? p->own : note_links(s);
    int left = framed ? 0 : name_columns(nodes);
    int pitch_x, first_x, pitch_y, first_y;
    size_t count;

    p->above = l->above;
    p->below = 1;
    schedule_transfers(s, p->step, &count);
    p->crowded = l->above && count > 2 * (size_t)s->nranks;
    if (!places_spread(per + 1, p->box.width, most(p->look.gap_x, l->lanes + 1),
                       p->area.width - left - outside * TRUNK, &pitch_x,
                       &first_x) ||
        !places_spread(nodes, p->box.height,
                       p->above + p->below + (framed ? 2 : 0),
                       p->area.height - p->above - p->below, &pitch_y,
                       &first_y))
        return false;
    for (int rank = 0; rank < s->nranks; rank++) {
        int hub = rank - members, node = hub < 0 ? rank / per : hub;
        places_box(p, rank,
                   p->area.x + left + first_x +
                       (hub < 0 ? rank % per : per) * pitch_x +
                       (hub < 0 ? 0 : outside * TRUNK),
                   p->area.y + p->above + first_y +
                       (hub >= 0 && outside ? (nodes - 1) * pitch_y / 2
                                            : node * pitch_y));
    }
    for (int a = 0; a < s->nranks; a++)
        for (int b = a + 1; b < s->nranks; b++)
            if (l->used[a * s->nranks + b] > 0)
                link_pair(p, l, a, b);
    for (int node = 0; node < nodes && !framed; node++) {
        struct rect box = p->boxes[node * per];
        places_label(p, box.x - left, box.y + box.height / 2, _("node %d"),
                     node);
    }
    return true;
}

/* Leaves the last row free for the legend, if it can. */
static bool
place_grid(struct places *p)
{
    struct rect area = p->area;
    struct grid g = grid_of(p->schedule);
    struct rect above = {area.x, area.y, area.width, area.height - 1};

    if (p->schedule->topology.switches > 0)
        return place_switches(p);
    p->below = g.nodes && g.below;
    if (!place_within(p, &g, above))
        return place_within(p, &g, area);
    add_legend(&g, p, area);
    return true;
}

const struct view view_grid = {
    .name = N_("grid"),
    .topologies = VIEW_OF(TOPOLOGY_TORUS) | VIEW_OF(TOPOLOGY_MESH) |
                  VIEW_OF(TOPOLOGY_NODES),
    .place = place_grid,
};
