/* SPDX-License-Identifier: MIT */
/* The views of boxes and the links between them: ring, star, tree, hypercube
 * and arcs.  Grids have a file of their own (view/grid.c). */
#include <stdlib.h>

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "view/places.h"

enum {
    GAP = 1, /* between boxes in a row: no links pass there */
    LANE_ROWS_MOST = 3,
};

/* The ring: the ranks clockwise around a rectangle, `top` of them from left to
 * right, then one in each row down the right side, then from right to left
 * along the bottom, then up the left side.
 *
 *     3 ranks   0      5 ranks    0       8 ranks  0 1 2
 *              2 1               4 1               7   3
 *                                3 2               6 5 4 */

enum {
    GAP_X_WANTED = 14, /* columns between boxes side by side */
    GAP_Y_WANTED = 3,  /* rows between boxes one above the other */
};

/* How the boxes are spread over an area. */
struct ring {
    int rows, top, bottom; /* rows of boxes, boxes in the first and last row */
    int across;            /* boxes side by side in the widest row */
    int gap_x, gap_y;      /* between boxes spread over all of the area */
    int grade;             /* higher is better; 0: it does not fit */
};

/* Blocks that travel need space. */
static struct ring
ring_of(const struct places *p, int rows, struct rect area)
{
    int n = p->schedule->nranks, sides = rows > 2 ? 2 * (rows - 2) : 0;
    struct ring r = {.rows = rows, .gap_x = area.width,
                     .gap_y = area.height};

    r.top = rows == 1 ? n : (n - sides) / 2;
    r.bottom = rows == 1 ? 0 : n - sides - r.top;
    r.across = most(most(r.top, r.bottom), rows > 2 ? 2 : 1);
    if (r.across > 1)
        r.gap_x = (area.width - r.across * p->box.width) / (r.across - 1);
    if (rows > 1)
        r.gap_y = (area.height - rows * p->box.height) / (rows - 1);
    if (r.gap_x >= p->look.gap_x && r.gap_y >= most(1, p->look.gap_y - 1) &&
        p->box.width <= area.width && p->box.height <= area.height)
        r.grade = 100 + 10 * least(r.gap_x, GAP_X_WANTED) / GAP_X_WANTED +
                  20 * least(r.gap_y, GAP_Y_WANTED) / GAP_Y_WANTED - rows;
    return r;
}

static void
place_rank(const struct ring *r, struct places *p, struct rect area, int rank)
{
    int room = area.width - p->box.width;
    int first_bottom = r->top + most(r->rows - 2, 0);
    int row, place, places = 2;

    if (rank < r->top) {
        row = 0;
        place = rank;
        places = r->top;
    } else if (rank < first_bottom) {
        row = rank - r->top + 1;
        place = 1;
    } else if (rank < first_bottom + r->bottom) {
        row = r->rows - 1;
        place = first_bottom + r->bottom - 1 - rank;
        places = r->bottom;
    } else {
        row = p->schedule->nranks - rank;
        place = 0;
    }
    places_box(p, rank,
               area.x + (places == 1 ? room / 2 : room * place / (places - 1)),
               area.y + (area.height - p->box.height) * row /
                            most(r->rows - 1, 1));
}

/* Links boxes side by side or, straight if they overlap, one above the other;
 * else with one corner, on the outside of the ring, whose middle is given.  If
 * there are only two ranks, the link back is on a lower row. */
static void
link_next(struct places *p, int middle, int rank)
{
    int n = p->schedule->nranks, next = (rank + 1) % n;
    struct rect a = p->boxes[rank], b = p->boxes[next];
    int ax = a.x + a.width / 2, bx = b.x + b.width / 2;
    struct point corner = places_middle(p, rank, next);

    if (a.y == b.y)
        corner.y = a.y + (n > 2        ? (a.height - 1) / 2
                          : a.x < b.x ? (a.height - 2) / 2
                                      : (a.height + 1) / 2);
    else if (bx > a.x && bx < a.x + a.width - 1)
        corner.x = bx;
    else if (abs(ax - middle) < abs(bx - middle))
        corner = (struct point){bx, a.y + (a.height - 1) / 2};
    else
        corner = (struct point){ax, b.y + (b.height - 1) / 2};
    places_link(p, rank, next, rank + 1, &corner, 1);
}

static bool
place_ring(struct places *p)
{
    struct rect area = p->area;
    int n = p->schedule->nranks, width, height;
    int rows_least = n <= 2 ? 1 : 2, rows_most = n <= 2 ? 1 : (n + 2) / 2;
    struct ring best = {0};

    for (int rows = rows_least; rows <= rows_most; rows++) {
        struct ring r = ring_of(p, rows, area);
        if (r.grade > best.grade)
            best = r;
    }
    if (best.grade == 0)
        return false;
    /* in the middle, and so near that the eye can follow the blocks */
    width = best.across * p->box.width +
            (best.across - 1) * least(best.gap_x, area.width * 2 / 5);
    height = best.rows * p->box.height +
             (best.rows - 1) * least(best.gap_y, area.height / 2);
    area = (struct rect){area.x + (area.width - width) / 2,
                         area.y + (area.height - height) / 2, width, height};
    for (int rank = 0; rank < n; rank++)
        place_rank(&best, p, area, rank);
    for (int rank = 0; rank < n; rank++)
        link_next(p, area.x + area.width / 2, rank);
    return true;
}

const struct view view_ring = {
    .name = N_("ring"),
    .topologies = VIEW_OF(TOPOLOGY_RING),
    .place = place_ring,
};

/* The star: the root, or the switch, in the middle, the other ranks in a row
 * above it and a row below it. */

/* Links a rank to its parent, in the row above or below it. */
static void
link_parent(struct places *p, int rank, int parent, int group)
{
    struct rect a = p->boxes[rank], b = p->boxes[parent];
    bool above = a.y < b.y;
    int gap = above ? b.y - a.y - a.height : a.y - b.y - b.height;
    int away = gap > 2; /* leaves room for an arrowhead at the parent */

    places_arch(p, rank, parent, group,
                above ? b.y - 1 - away : b.y + b.height + away, 0, 0);
}

static bool
place_star(struct places *p)
{
    struct rect area = p->area;
    const struct schedule *s = p->schedule;
    int center = topology_center(&s->topology, s->nranks, s->root);
    int others = s->nranks - 1, top = others / 2;
    int counts[2] = {top, others - top};
    int pitch_y, first_y, pitch, first;

    if (!places_spread(3, p->box.height, p->look.gap_y, area.height, &pitch_y,
                       &first_y))
        return false;
    places_box(p, center, area.x + (area.width - p->box.width) / 2,
               area.y + first_y + pitch_y);
    for (int row = 0, i = 1; row < 2; row++) {
        if (!places_spread(counts[row], p->box.width, p->look.gap_x,
                           area.width, &pitch, &first))
            return false;
        for (int k = 0; k < counts[row]; k++, i++) {
            int rank = (center + i) % s->nranks;
            places_box(p, rank, area.x + first + k * pitch,
                       area.y + first_y + 2 * row * pitch_y);
            link_parent(p, rank, center, row);
        }
    }
    return true;
}

const struct view view_star = {
    .name = N_("star"),
    .topologies = VIEW_OF(TOPOLOGY_STAR),
    .place = place_star,
};

/* Trees.  The root is on top, children are below their parent.
 *
 * Two trees over the same ranks are drawn with the ranks in a row, the links of
 * the first tree above it, those of the second below.  The closer a parent is
 * to the root, the farther its links are from the row. */

struct tree {
    int parent[HEAT_RANKS];
    int depth[HEAT_RANKS];
    int height; /* levels */
    int nranks, root;
};

static struct tree
make_tree(const struct schedule *s, int number)
{
    struct tree t = {.nranks = s->nranks};

    for (int rank = 0; rank < s->nranks; rank++)
        t.parent[rank] =
            s->topology.kind == TOPOLOGY_BINOMIAL
                ? topology_binomial_parent(s->nranks, s->root, rank)
                : topology_trees_parent(s->nranks, number, rank);
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

/* The ranks in a row.  The link to the parent is in the middle of a box, the
 * links to children are to the left and right of it. */
static bool
place_arches(struct places *p)
{
    struct rect area = p->area;
    struct tree trees[2] = {make_tree(p->schedule, 0),
                            make_tree(p->schedule, 1)};
    int n = p->schedule->nranks;
    int levels = most(trees[0].height, trees[1].height);
    int room = (area.height - p->box.height) / 2; /* above and below */
    int rows = levels > 2 ? (room - 1) / (levels - 2) : 2;
    int pitch, first;

    if (!places_spread(n, p->box.width, GAP, area.width, &pitch, &first) ||
        rows < (p->look.framed ? 2 : 1) || room < 2)
        return false;
    rows = least(rows, LANE_ROWS_MOST);
    for (int rank = 0; rank < n; rank++)
        places_box(p, rank, area.x + first + rank * pitch, area.y + room);
    for (int number = 0; number < 2; number++)
        for (int rank = 0; rank < n; rank++) {
            const struct tree *t = &trees[number];
            int parent = t->parent[rank], away;
            if (parent < 0)
                continue;
            away = 1 + most(t->height - 2 - t->depth[parent], 0) * rows;
            places_arch(p, rank, parent, number * n + parent,
                        number == 0 ? area.y + room - away
                                    : area.y + room + p->box.height - 1 + away,
                        0, rank > parent ? 1 : -1);
            p->roads[p->nroads - 1].part = (int16_t)number;
        }
    return true;
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

static bool
place_tree(struct places *p)
{
    struct rect area = p->area;
    struct tree t = make_tree(p->schedule, 0);
    int place[HEAT_RANKS], leaves;
    int pitch_x, first_x, pitch_y, first_y;

    if (p->schedule->topology.kind == TOPOLOGY_TREES)
        return place_arches(p);
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
            link_parent(p, rank, t.parent[rank], t.parent[rank]);
    return true;
}

const struct view view_tree = {
    .name = N_("tree"),
    .topologies = VIEW_OF(TOPOLOGY_BINOMIAL) | VIEW_OF(TOPOLOGY_TREE) |
                  VIEW_OF(TOPOLOGY_TREES),
    .place = place_tree,
};

/* The hypercube of up to four dimensions: a line, a square, a cube whose back
 * face is drawn above and to the right of its front, or two such cubes.
 *
 *         4 ───── 5       bit 0 of a rank: left or right
 *     0 ──┼── 1 ──╯       bit 1: above or below
 *     │   6 ──┼── 7       bit 2: front or back
 *     2 ───── 3 ──╯       bit 3: the first or the second cube
 *
 * If the number of ranks is not a power of two, some corners are missing. */

enum { DIMS_MOST = 4 };

static int
cube_bit(int rank, int d)
{
    return rank >> d & 1;
}

/* The column at which a link leaves a box depends on the dimension. */
static void
link_along(struct places *p, int a_rank, int d)
{
    int b_rank = a_rank | 1 << d;
    struct rect a = p->boxes[a_rank], b = p->boxes[b_rank];
    struct point middle = places_middle(p, a_rank, b_rank);
    int column = a.x + a.width / 2, aside = a.width >= 8 ? 2 : 1;
    struct point corners[] = {{middle.x, b.y + b.height / 2},
                              {column - aside, middle.y},
                              {column + aside, b.y + b.height / 2}};

    if (d < 3)
        places_link(p, a_rank, b_rank, p->nroads + 1, &corners[d], 1);
    else
        places_arch(p, a_rank, b_rank, p->nroads + 1,
                    a.y - 1 - cube_bit(a_rank, 0), 0, 0);
}

static bool
place_cube(struct places *p)
{
    struct rect area = p->area;
    int n = p->schedule->nranks, dims = 0;
    int width = p->box.width, cubes, rows, lanes;
    int across, back; /* offsets of the box on the right, of the back face */
    int spare, cube_width, first, pitch_y, first_y;

    while (1 << dims < n)
        dims++;
    cubes = dims > 3 ? 2 : 1;
    rows = dims > 2 ? 4 : dims > 1 ? 2 : 1;
    lanes = dims > 3 ? 2 : 0;
    back = dims > 2 ? width / 2 + 5 : 0;
    across = most(width + p->look.gap_x, dims > 2 ? back + width / 2 + 2 : 0);
    spare = (area.width - (cubes - 1) * p->look.gap_x) / cubes -
            (across + back + width);
    if (dims > DIMS_MOST || spare < 0 ||
        !places_spread(rows, p->box.height, most(p->look.gap_y, lanes),
                       area.height - lanes, &pitch_y, &first_y))
        return false;
    across += least(spare / 2, 2 * width);
    back += dims > 2 ? least(spare / 4, width) : 0;
    cube_width = across + back + width;
    first = (area.width - cubes * cube_width - (cubes - 1) * p->look.gap_x) / 2;
    for (int rank = 0; rank < n; rank++) {
        int row = dims > 2 ? 2 * cube_bit(rank, 1) + !cube_bit(rank, 2)
                           : cube_bit(rank, 1);
        places_box(p, rank,
                   area.x + first +
                       cube_bit(rank, 3) * (cube_width + p->look.gap_x) +
                       cube_bit(rank, 0) * across + cube_bit(rank, 2) * back,
                   area.y + lanes + first_y + row * pitch_y);
    }
    for (int rank = 0; rank < n; rank++)
        for (int d = 0; d < dims; d++)
            if (cube_bit(rank, d) == 0 && (rank | 1 << d) < n)
                link_along(p, rank, d);
    return true;
}

const struct view view_cube = {
    .name = N_("hypercube"),
    .topologies = VIEW_OF(TOPOLOGY_CUBE),
    .place = place_cube,
};

/* Arcs, for topologies in which any rank may send to any other.  The ranks are
 * in a row.  Only the links of the current step are drawn: links to the right
 * above the row, links to the left below it.  If all send to all in a step, the
 * links of the ranks that are not selected share the lanes next to the
 * boxes. */

enum { RANKS_MOST = 24 };

/* The links from a rank to the ranks on one side of it, which share a lane. */
struct arc {
    int first, last; /* the ranks at its ends */
    int lane;        /* lane 0 is next to the boxes; -1: there is no link */
};

/* Sets `arcs`, by rank, to the arcs of a step that lead to the right, or to the
 * left if `right` is false; short ones are next to the boxes, each in the
 * lowest lane in which it overlaps no other.  Returns the number of lanes that
 * they take. */
static int
arcs_of(const struct places *p, int step, bool right,
        struct arc arcs[RANKS_MOST])
{
    const struct schedule *s = p->schedule;
    bool crowded = places_is_crowded(s, step);
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);
    int lanes = 0;

    for (int rank = 0; rank < s->nranks; rank++)
        arcs[rank] = (struct arc){rank, rank, -1};
    for (size_t i = 0; i < count; i++, t++) {
        struct arc *arc = &arcs[t->src];
        if (right)
            arc->last = most(arc->last, t->dst);
        else
            arc->first = least(arc->first, t->dst);
    }
    for (int length = 1; length < s->nranks; length++)
        for (int rank = 0; rank < s->nranks; rank++) {
            struct arc *arc = &arcs[rank];
            if (arc->last - arc->first != length)
                continue;
            arc->lane = crowded && rank == p->scene->selected;
            for (int k = 0; k < s->nranks && !crowded; k++)
                if (k != rank && arcs[k].lane == arc->lane &&
                    arcs[k].first < arc->last && arc->first < arcs[k].last) {
                    arc->lane++;
                    k = -1;
                }
            lanes = most(lanes, arc->lane + 1);
        }
    return crowded ? 2 : lanes;
}

/* Adds the links of the step that lead to the right, or to the left. */
static void
link_step(struct places *p, bool right, int lane_rows)
{
    const struct schedule *s = p->schedule;
    size_t count;
    const struct transfer *t = schedule_transfers(s, p->step, &count);
    int aside = right ? 1 : -1;
    struct arc arcs[RANKS_MOST];

    arcs_of(p, p->step, right, arcs);
    for (; count > 0; count--, t++) {
        struct rect a = p->boxes[t->src];
        bool joins = p->crowded && t->src != p->scene->selected;
        int group = 1 + (joins ? s->nranks : t->src);
        int away = 1 + arcs[t->src].lane * lane_rows;
        int y = right ? a.y - away : a.y + a.height - 1 + away;
        const struct road *road = places_road_of(p, p->step, t);
        if (t->src != t->dst && (t->dst > t->src) == right &&
            (road == NULL || road->a != t->src))
            places_arch(p, t->src, t->dst, right ? group : -group, y, aside,
                        -aside);
    }
}

static bool
place_arcs(struct places *p)
{
    struct rect area = p->area;
    int n = p->schedule->nranks, pitch, first, rows, y;
    int *lanes = p->own; /* of the step that takes most, so that the boxes do
                          * not move between steps: below them, above them */

    if (n > RANKS_MOST || p->box.height > area.height ||
        !places_spread(n, p->box.width, GAP, area.width, &pitch, &first))
        return false;
    if (lanes == NULL) {
        lanes = p->own = mem_new(2, sizeof *lanes);
        for (int step = 1; step <= p->schedule->nsteps; step++)
            for (int right = 0; right < 2; right++) {
                struct arc arcs[RANKS_MOST];
                lanes[right] = most(lanes[right],
                                    arcs_of(p, step, right, arcs));
            }
    }
    rows = (area.height - p->box.height) / most(lanes[0] + lanes[1], 1);
    if (rows < (p->look.framed ? 2 : 1))
        return false;
    rows = least(rows, LANE_ROWS_MOST);
    y = area.y + lanes[1] * rows +
        (area.height - p->box.height - (lanes[0] + lanes[1]) * rows) / 2;
    for (int rank = 0; rank < n; rank++)
        places_box(p, rank, area.x + first + rank * pitch, y);
    for (int right = 0; right < 2 && p->step > 0; right++)
        link_step(p, right, rows);
    return true;
}

/* A sum in which all send to all: the fan of one rank says what all do. */
static bool
arcs_lead(const struct schedule *s)
{
    bool crowded = false;

    if (s->topology.kind != TOPOLOGY_ANY || !s->collective->reduces ||
        s->nranks > RANKS_MOST)
        return false;
    for (int step = 1; step <= s->nsteps; step++)
        crowded = crowded || places_is_crowded(s, step);
    return crowded;
}

const struct view view_arcs = {
    .name = N_("arcs"),
    .topologies = VIEW_OF(TOPOLOGY_ANY),
    .leads = arcs_lead,
    .place = place_arcs,
};
