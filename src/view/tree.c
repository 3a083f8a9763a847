/* SPDX-License-Identifier: MIT */
/* Trees.  The root is on top, children are below their parent.
 *
 * Two trees over the same ranks are drawn with the ranks in a row, the links of
 * the first tree above it, those of the second below.  The closer a parent is
 * to the root, the farther its links are from the row. */
#include "base/translate.h"
#include "view/painter.h"
#include "view/view.h"

enum { GAP = 1 }; /* between boxes in a row: no links pass there */

struct tree {
    int parent[HEAT_RANKS];
    int depth[HEAT_RANKS];
    int height; /* levels */
    int nranks, root;
};

static int
parent_of(const struct schedule *s, int tree, int rank)
{
    if (s->topology.kind == TOPOLOGY_BINOMIAL)
        return topology_binomial_parent(s->nranks, s->root, rank);
    return topology_trees_parent(s->nranks, tree, rank);
}

static struct tree
tree_of(const struct schedule *s, int number)
{
    struct tree t = {.nranks = s->nranks};

    for (int rank = 0; rank < s->nranks; rank++)
        t.parent[rank] = parent_of(s, number, rank);
    for (int rank = 0; rank < s->nranks; rank++) {
        for (int up = t.parent[rank]; up >= 0; up = t.parent[up])
            t.depth[rank]++;
        if (t.depth[rank] == 0)
            t.root = rank;
        if (t.depth[rank] >= t.height)
            t.height = t.depth[rank] + 1;
    }
    return t;
}

/* Sets place[] of `rank` and its descendants to twice their distance from the
 * left, counted in leaves.  A parent is in the middle between its first and its
 * last child; children are ordered by rank, beginning at the root.  `leaves` is
 * the number of leaves to the left of the subtree; returns it with the leaves
 * of the subtree added. */
static int
set_places(const struct tree *t, int rank, int leaves, int *place)
{
    int first = -1, last = -1;

    for (int i = 1; i < t->nranks; i++) {
        int child = (t->root + i) % t->nranks;
        if (t->parent[child] != rank)
            continue;
        leaves = set_places(t, child, leaves, place);
        first = first < 0 ? place[child] : first;
        last = place[child];
    }
    place[rank] = first < 0 ? 2 * leaves : (first + last) / 2;
    return first < 0 ? leaves + 1 : leaves;
}

static void
link_levels(struct places *p, const struct tree *t, int rank)
{
    int parent = t->parent[rank];
    struct rect a = p->boxes[rank], b = p->boxes[parent];
    int below = b.y + b.height;
    int bus = below + (a.y - below > 2); /* leaves room for an arrowhead */
    struct point corners[] = {{a.x + a.width / 2, bus},
                              {b.x + b.width / 2, bus}};

    places_link(p, rank, parent, parent, corners, 2);
}

static bool
place_levels(struct places *p, struct rect area)
{
    struct tree t = tree_of(p->schedule, 0);
    int place[HEAT_RANKS], leaves;
    int pitch_x, first_x, pitch_y, first_y;

    leaves = set_places(&t, t.root, 0, place);
    if (!places_spread(leaves, p->box.width, p->look.gap_x, area.width,
                       &pitch_x, &first_x) ||
        !places_spread(t.height, p->box.height, p->look.gap_y, area.height,
                       &pitch_y, &first_y))
        return false;
    for (int rank = 0; rank < t.nranks; rank++)
        places_box(p, rank, area.x + first_x + place[rank] * pitch_x / 2,
                   area.y + first_y + t.depth[rank] * pitch_y);
    for (int rank = 0; rank < t.nranks; rank++)
        if (t.parent[rank] >= 0)
            link_levels(p, &t, rank);
    return true;
}

/* Adds a link above or below the row of boxes.  The link to the parent is in
 * the middle of a box, the links to children are to the left and right of
 * it. */
static void
link_arch(struct places *p, const struct tree *t, int number, int rank,
          int level_rows)
{
    int parent = t->parent[rank];
    struct rect a = p->boxes[rank], b = p->boxes[parent];
    int levels = t->height - 1 - t->depth[parent];
    int away = 1 + (levels > 0 ? levels - 1 : 0) * level_rows;
    int y = number == 0 ? a.y - away : a.y + a.height - 1 + away;
    struct point corners[] = {{a.x + a.width / 2, y},
                              {b.x + b.width / 2 + (rank > parent ? 1 : -1),
                               y}};

    places_link(p, rank, parent, number * t->nranks + parent, corners, 2);
    p->roads[p->nroads - 1].part = (int16_t)number;
}

static bool
place_arches(struct places *p, struct rect area)
{
    struct tree trees[2] = {tree_of(p->schedule, 0), tree_of(p->schedule, 1)};
    int n = p->schedule->nranks;
    int levels = trees[0].height > trees[1].height ? trees[0].height
                                                   : trees[1].height;
    int room = (area.height - p->box.height) / 2; /* above and below */
    int rows = levels > 2 ? (room - 1) / (levels - 2) : 2;
    int pitch, first;

    if (!places_spread(n, p->box.width, GAP,
                       area.width, &pitch, &first) ||
        rows < (p->look.framed ? 2 : 1) || room < 2)
        return false;
    if (rows > 3)
        rows = 3;
    for (int rank = 0; rank < n; rank++)
        places_box(p, rank, area.x + first + rank * pitch, area.y + room);
    for (int number = 0; number < 2; number++)
        for (int rank = 0; rank < n; rank++)
            if (trees[number].parent[rank] >= 0)
                link_arch(p, &trees[number], number, rank, rows);
    return true;
}

static bool
place(struct places *p, struct rect area)
{
    return p->schedule->topology.kind == TOPOLOGY_TREES
               ? place_arches(p, area)
               : place_levels(p, area);
}

const struct view view_tree = {
    .name = N_("tree"),
    .topologies = VIEW_OF(TOPOLOGY_BINOMIAL) | VIEW_OF(TOPOLOGY_TREE) |
                  VIEW_OF(TOPOLOGY_TREES),
    .place = place,
    .boxes = true,
    .symbols = painter_symbols,
    .moves = true,
};
