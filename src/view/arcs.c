/* SPDX-License-Identifier: MIT */
/* Arcs, for topologies in which any rank may send to any other.  The ranks are
 * in a row.  Only the links of the current step are drawn: links to the right
 * above the row, links to the left below it.  In a step in which all send to
 * all, the links of the ranks that are not selected share the lanes next to the
 * boxes. */
#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "view/painter.h"
#include "view/view.h"

enum { RANKS_MOST = 24, LANE_ROWS_MOST = 3, GAP = 1 };

/* The links from a rank to the ranks on one side of it, which share a lane. */
struct arc {
    int first, last; /* the ranks at its ends */
    int lane;        /* lane 0 is next to the boxes; -1: there is no link */
};

/* Gives an arc the lowest lane in which it overlaps no other. */
static void
find_lane(struct arc arcs[RANKS_MOST], int n, struct arc *arc)
{
    arc->lane = 0;
    for (int k = 0; k < n; k++)
        if (&arcs[k] != arc && arcs[k].lane == arc->lane &&
            arcs[k].first < arc->last && arc->first < arcs[k].last) {
            arc->lane++;
            k = -1;
        }
}

/* Sets `arcs`, by rank, to the arcs of a step that lead to the right, or to the
 * left if `right` is false; short ones are next to the boxes. Returns the
 * number of lanes that they take. */
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
            if (crowded)
                arc->lane = rank == p->scene->selected;
            else
                find_lane(arcs, s->nranks, arc);
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
    for (const struct transfer *end = t + count; t < end; t++) {
        struct rect a = p->boxes[t->src], b = p->boxes[t->dst];
        bool joins = p->crowded && t->src != p->scene->selected;
        int group = 1 + (joins ? s->nranks : t->src);
        int away = 1 + arcs[t->src].lane * lane_rows;
        int y = right ? a.y - away : a.y + a.height - 1 + away;
        struct point corners[] = {{a.x + a.width / 2 + aside, y},
                                  {b.x + b.width / 2 - aside, y}};
        const struct road *road = places_road_of(p, p->step, t);
        if (t->src != t->dst && (t->dst > t->src) == right &&
            (road == NULL || road->a != t->src))
            places_link(p, t->src, t->dst, right ? group : -group, corners, 2);
    }
}

static bool
place(struct places *p, struct rect area)
{
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
