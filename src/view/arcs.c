/* SPDX-License-Identifier: MIT */
/* Arcs, for topologies in which any rank may send to any other.  The ranks are
 * in a row.  Only the links of the current step are drawn: links to the right
 * above the row, links to the left below it.  In a step in which all send to
 * all, the links of the ranks that are not selected share the lanes next to the
 * boxes. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "view/painter.h"
#include "view/view.h"

enum { RANKS_MOST = 24, LANE_ROWS_MOST = 3, GAP = 1 };

/* The links from a rank to the ranks on one side of it. They share a lane. */
struct arc {
    int src, first, last; /* first and last are the ranks at its ends */
    int lane;             /* lane 0 is next to the boxes */
};

static bool
overlap(const struct arc *a, const struct arc *b)
{
    return a->first < b->last && b->first < a->last;
}

static int
shorter_first(const void *a, const void *b)
{
    const struct arc *x = a, *y = b;
    int by_length = (x->last - x->first) - (y->last - y->first);

    return by_length != 0 ? by_length : x->src - y->src;
}

/* The lowest lane in which arc `i` overlaps none of the arcs before it. */
static int
free_lane(const struct arc arcs[RANKS_MOST], int i)
{
    int lane = 0, k = 0;

    while (k < i)
        if (arcs[k].lane == lane && overlap(&arcs[i], &arcs[k])) {
            lane++;
            k = 0;
        } else {
            k++;
        }
    return lane;
}

/* Sets `arcs` to the arcs of a step that lead to the right, or to the left if
 * `right` is false. Returns the number of lanes that they take. */
static int
arcs_of(const struct places *p, int step, bool right,
        struct arc arcs[RANKS_MOST])
{
    const struct schedule *s = p->schedule;
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);
    int lanes = 0;

    for (int rank = 0; rank < s->nranks; rank++)
        arcs[rank] = (struct arc){rank, rank, rank, -1};
    for (size_t i = 0; i < count; i++, t++) {
        struct arc *arc = &arcs[t->src];
        if (right && t->dst > arc->last)
            arc->last = t->dst;
        if (!right && t->dst < arc->first)
            arc->first = t->dst;
    }
    if (places_is_crowded(s, step)) {
        for (int i = 0; i < s->nranks; i++)
            arcs[i].lane = arcs[i].src == p->scene->selected;
        return 2;
    }
    qsort(arcs, (size_t)s->nranks, sizeof *arcs, shorter_first);
    for (int i = 0; i < s->nranks; i++) {
        if (arcs[i].first == arcs[i].last)
            continue;
        arcs[i].lane = free_lane(arcs, i);
        if (arcs[i].lane >= lanes)
            lanes = arcs[i].lane + 1;
    }
    return lanes;
}

/* The number of lanes of the step that takes most. Every step reserves as many,
 * so that the boxes do not move between steps. */
static int
most_lanes(const struct places *p, bool right)
{
    struct arc arcs[RANKS_MOST];
    int most = 0;

    for (int step = 1; step <= p->schedule->nsteps; step++) {
        int lanes = arcs_of(p, step, right, arcs);
        most = lanes > most ? lanes : most;
    }
    return most;
}

static void
link_arc(struct places *p, const struct arc *arc, int dst, bool right,
         int lane_rows)
{
    struct rect a = p->boxes[arc->src], b = p->boxes[dst];
    bool joins = p->crowded && arc->src != p->scene->selected;
    int group = 1 + (joins ? p->schedule->nranks : arc->src);
    int away = 1 + arc->lane * lane_rows, aside = right ? 1 : -1;
    int y = right ? a.y - away : a.y + a.height - 1 + away;
    struct point corners[] = {{a.x + a.width / 2 + aside, y},
                              {b.x + b.width / 2 - aside, y}};

    places_link(p, arc->src, dst, right ? group : -group, corners, 2);
}

static void
link_step(struct places *p, bool right, int lane_rows)
{
    const struct schedule *s = p->schedule;
    size_t count;
    const struct transfer *t = schedule_transfers(s, p->step, &count);
    struct arc arcs[RANKS_MOST];
    bool linked[RANKS_MOST][RANKS_MOST] = {{false}};

    arcs_of(p, p->step, right, arcs);
    for (size_t i = 0; i < count; i++, t++) {
        if (t->src == t->dst || (t->dst > t->src) != right ||
            linked[t->src][t->dst])
            continue;
        linked[t->src][t->dst] = true;
        for (int k = 0; k < s->nranks; k++)
            if (arcs[k].src == t->src)
                link_arc(p, &arcs[k], t->dst, right, lane_rows);
    }
}

static bool
place(struct places *p, struct rect area)
{
    int n = p->schedule->nranks, pitch, first, above, below, rows, y;
    int *lanes = p->own;

    if (n > RANKS_MOST ||
        !places_spread(n, p->box.width, GAP,
                       area.width, &pitch, &first))
        return false;
    if (lanes == NULL) {
        lanes = p->own = mem_new(2, sizeof *lanes);
        for (int right = 0; right < 2; right++)
            lanes[right] = most_lanes(p, right);
    }
    above = lanes[1];
    below = lanes[0];
    rows = above + below > 0 ? (area.height - p->box.height) / (above + below)
                             : 1;
    if (rows < (p->look.framed ? 2 : 1) || p->box.height > area.height)
        return false;
    if (rows > LANE_ROWS_MOST)
        rows = LANE_ROWS_MOST;
    y = area.y + above * rows +
        (area.height - p->box.height - (above + below) * rows) / 2;
    for (int rank = 0; rank < n; rank++)
        places_box(p, rank, area.x + first + rank * pitch, y);
    for (int right = 0; right < 2 && p->step > 0; right++)
        link_step(p, right, rows);
    return true;
}

/* A sum in which all send to all: the fan of one rank says what all do. */
static bool
leads(const struct schedule *s)
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
    .leads = leads,
    .place = place,
    .boxes = true,
    .symbols = painter_symbols,
    .moves = true,
};
