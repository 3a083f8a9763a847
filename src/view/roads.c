/* SPDX-License-Identifier: MIT */
#include "view/roads.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "draw/wires.h"

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        warning = {.fg = ROLE_WARNING, .attrs = ATTR_BOLD};

/* What goes along a road in the scene's step, in one direction. */
struct load {
    const struct transfer *first;
    const struct road *road; /* NULL: straight from a spot to a spot */
    struct route way;
    int slot;   /* of the first transfer */
    int nslots; /* of all transfers */
    double progress; /* of the slowest transfer */
    bool landed;
    bool lost;     /* it was dropped, and would have arrived by now */
    bool joined;   /* lost, and other data has arrived at its arrowhead */
    bool followed; /* nothing is followed, or it is in there */
};

struct loads {
    const struct places *places;
    struct canvas *canvas;
    struct rect area;
    struct load *list;
    int count;
    struct rect *taken; /* areas of the names on roads */
    int ntaken;
};

/* The path of a road from `src` on, without its cells on the boxes. */
static struct route
way_of(const struct places *p, const struct road *road, int src)
{
    struct route path =
        road->a == src ? road->path : route_reversed(&road->path);
    struct route way = {.upward = path.upward};
    int last = path.count - 1;
    struct point *a = &path.points[0], *b = &path.points[last];

    if (!p->has_boxes)
        return path;
    a->x += (path.points[1].x > a->x) - (path.points[1].x < a->x);
    a->y += (path.points[1].y > a->y) - (path.points[1].y < a->y);
    b->x += (path.points[last - 1].x > b->x) - (path.points[last - 1].x < b->x);
    b->y += (path.points[last - 1].y > b->y) - (path.points[last - 1].y < b->y);
    for (int i = 0; i < path.count; i++)
        if (i == 0 || path.points[i].x != path.points[i - 1].x ||
            path.points[i].y != path.points[i - 1].y)
            route_add(&way, path.points[i].x, path.points[i].y);
    return way;
}

/* The straight way of slot `k` of a transfer between two spots, if the places
 * have both. */
static bool
way_between(const struct places *p, const struct transfer *t, int k,
            struct route *way)
{
    const struct spot *a = places_find_spot(p, p->step - 1, t->src,
                                            t->src_slot + k);
    const struct spot *b =
        places_find_spot(p, p->step, t->dst, t->dst_slot + k);

    *way = (struct route){0};
    if (a == NULL || b == NULL || a->step == PLACES_NOW ||
        b->step == PLACES_NOW || (a->x == b->x && a->y == b->y))
        return false;
    route_add(way, a->x + a->width / 2, a->y);
    route_add(way, b->x + b->width / 2, b->y);
    return true;
}

static struct point
head_of(const struct load *load)
{
    return load->way.points[load->way.count - 1];
}

/* The load of slot `slot` of transfer `i` alone. */
static struct load
load_of(const struct places *p, size_t i, const struct transfer *t, int slot)
{
    const struct scene *s = p->scene;
    bool flies = s->step > 0 && i < s->nflights;

    return (struct load){
        .first = t,
        .slot = slot,
        .nslots = 1,
        .progress = flies && s->flights[i].event != NULL
                        ? s->flights[i].progress
                        : 0,
        .landed = flies && flight_landed(&s->flights[i]),
        .lost = scene_lacks(s, i),
        .followed = !scene_fades_transfer(s, p->step, t),
    };
}

/* Adds a load to those that go the same way, or as one of its own. */
static void
add(struct loads *l, const struct load *load)
{
    struct load *sum = l->list, *end = l->list + l->count;

    while (sum < end &&
           (load->road == NULL || sum->road != load->road ||
            sum->first->src != load->first->src))
        sum++;
    if (sum == end) {
        l->list[l->count++] = *load;
        return;
    }
    sum->nslots += load->nslots;
    if (load->progress < sum->progress)
        sum->progress = load->progress;
    sum->landed &= load->landed;
    sum->lost |= load->lost;
    sum->followed |= load->followed;
}

static void
add_transfer(struct loads *l, size_t i, const struct transfer *t)
{
    const struct places *p = l->places;
    const struct road *road =
        t->src == t->dst ? NULL : places_road_of(p, p->step, t);

    for (int k = 0; k < t->nslots; k++) {
        struct load load = load_of(p, i, t, t->src_slot + k);
        load.road = road;
        if (road != NULL)
            load.way = way_of(p, road, t->src);
        else if (p->has_boxes || !way_between(p, t, k, &load.way))
            continue;
        add(l, &load);
    }
}

static void
find_joined(struct loads *l)
{
    for (int i = 0; i < l->count; i++)
        for (int k = 0; l->list[i].lost && k < l->count; k++) {
            struct point head = head_of(&l->list[i]);
            struct point other = head_of(&l->list[k]);
            l->list[i].joined |= !l->list[k].lost && other.x == head.x &&
                                 other.y == head.y;
        }
}

static void
loads_init(struct loads *l, const struct places *p, struct canvas *c,
           struct rect area)
{
    size_t count, slots = 0;
    const struct transfer *t =
        schedule_transfers(p->schedule, p->step, &count);

    for (size_t i = 0; i < count; i++)
        slots += (size_t)t[i].nslots;
    *l = (struct loads){.places = p, .canvas = c, .area = area};
    l->list = mem_new(slots + 1, sizeof *l->list);
    l->taken = mem_new(slots + 1, sizeof *l->taken);
    for (size_t i = 0; i < count; i++)
        if (!p->crowded || t[i].src == p->scene->selected)
            add_transfer(l, i, &t[i]);
    find_joined(l);
}

static void
loads_done(struct loads *l)
{
    free(l->list);
    free(l->taken);
}

/* Each of two trees has its own colour; otherwise idle roads are quiet. */
static enum role
role_of(const struct places *p, const struct road *road, bool busy)
{
    if (road->role != ROLE_TEXT)
        return road->role;
    if (p->schedule->topology.kind == TOPOLOGY_TREES)
        return ROLE_TREE + (road->part != 0);
    return busy ? ROLE_TEXT : ROLE_QUIET;
}

/* Whether the data that is followed goes along a road of one step. */
static bool
is_followed(const struct places *p, const struct road *road)
{
    size_t count;
    const struct transfer *t =
        schedule_transfers(p->schedule, road->step, &count);

    if (p->scene->trail == NULL || road->step == 0 || road->a == road->b)
        return false;
    for (size_t i = 0; i < count; i++)
        if (t[i].src == road->a && t[i].dst == road->b &&
            trail_carries(p->scene->trail, road->step, &t[i]))
            return true;
    return false;
}

static enum wire_style
style_of(const struct places *p, const struct road *road)
{
    if (is_followed(p, road))
        return WIRE_THICK;
    return road->step > p->step ? WIRE_DOTTED : WIRE_THIN;
}

/* Marks a road that leaves a host, where no name covers the mark. */
static void
mark_host(const struct places *p, const struct road *road, struct canvas *c)
{
    struct point at = route_at(&road->path, 0.2, 1);

    if (road->step == 0 &&
        run_leaves_host(p->scene->world->run, road->a, road->b))
        canvas_put(c, at.x, at.y, '~', plain);
}

/* Draws what is no line of wires; the roads that carry data come last. */
static void
draw_slanting(const struct loads *l)
{
    const struct places *p = l->places;

    for (int i = 0; i < p->nroads; i++)
        if (route_slants(&p->roads[i].path))
            route_draw_slanting(
                &p->roads[i].path, l->canvas, p->scene->glyphs,
                (struct pen){.fg = role_of(p, &p->roads[i], false)});
    for (int i = 0; i < l->count; i++)
        if (l->list[i].road != NULL && route_slants(&l->list[i].road->path))
            route_draw_slanting(
                &l->list[i].road->path, l->canvas, p->scene->glyphs,
                (struct pen){.fg = role_of(p, l->list[i].road, true),
                             .attrs = ATTR_BOLD});
}

static void
draw_lines(const struct loads *l)
{
    const struct places *p = l->places;
    struct wires wires;

    wires_init(&wires, (struct rect){0, 0, l->canvas->columns,
                                     l->canvas->rows});
    wires.joins = !p->has_boxes;
    for (int i = 0; i < p->nroads; i++) /* what ranks keep is joined by more */
        if (p->roads[i].a == p->roads[i].b)
            wires_add(&wires, &p->roads[i].path, p->roads[i].group,
                      style_of(p, &p->roads[i]),
                      p->roads[i].role != ROLE_TEXT ? p->roads[i].role
                                                    : ROLE_QUIET);
    for (int i = 0; i < l->count; i++) {
        const struct load *load = &l->list[i];
        if (load->road != NULL && !route_slants(&load->road->path))
            wires_add(&wires, &load->road->path, load->road->group,
                      load->followed ? WIRE_THICK : WIRE_THIN,
                      role_of(p, load->road, load->followed));
    }
    for (int i = 0; i < p->nroads; i++)
        if (p->roads[i].a != p->roads[i].b &&
            !route_slants(&p->roads[i].path))
            wires_add(&wires, &p->roads[i].path, p->roads[i].group,
                      style_of(p, &p->roads[i]),
                      role_of(p, &p->roads[i],
                              is_followed(p, &p->roads[i])));
    wires_draw(&wires, l->canvas, p->scene->glyphs);
    wires_done(&wires);
    draw_slanting(l);
    for (int i = 0; i < p->nroads; i++)
        mark_host(p, &p->roads[i], l->canvas);
}

static enum glyph
arrowhead(const struct route *way)
{
    struct point to = way->points[way->count - 1];
    struct point from = way->points[way->count > 1 ? way->count - 2 : 0];

    if (to.x != from.x)
        return to.x > from.x ? GLYPH_RIGHT : GLYPH_LEFT;
    if (to.y == from.y)
        return way->upward ? GLYPH_UP : GLYPH_DOWN;
    return to.y > from.y ? GLYPH_DOWN : GLYPH_UP;
}

/* The side of a box at which a way ends says where the arrowhead points. */
static enum glyph
arrowhead_at(const struct places *p, const struct load *load)
{
    struct rect box = p->boxes[load->first->dst];
    struct point at = head_of(load);

    if (!p->has_boxes)
        return arrowhead(&load->way);
    return at.y < box.y               ? GLYPH_DOWN
           : at.y >= box.y + box.height ? GLYPH_UP
           : at.x < box.x               ? GLYPH_RIGHT
                                        : GLYPH_LEFT;
}

/* Data that was lost is struck out at its arrowhead, or at its name if other
 * data has arrived there. */
static void
draw_arrowheads(const struct loads *l)
{
    for (int i = 0; i < l->places->nroads; i++) {
        const struct road *road = &l->places->roads[i];
        struct point at = road->path.points[road->path.count - 1];
        if (road->step > 0 && road->a != road->b)
            canvas_put(l->canvas, at.x, at.y,
                       glyph(l->places->scene->glyphs, arrowhead(&road->path)),
                       road->role != ROLE_TEXT
                           ? (struct pen){.fg = road->role} : quiet);
    }
    for (int i = 0; i < l->count; i++) {
        const struct load *load = &l->list[i];
        struct point at = head_of(load);
        bool lost = load->lost && !load->joined;
        enum glyph head =
            lost ? GLYPH_LOST : arrowhead_at(l->places, load);
        if (load->road != NULL)
            canvas_put(l->canvas, at.x, at.y,
                       glyph(l->places->scene->glyphs, head),
                       lost             ? warning
                       : load->followed ? (struct pen){.fg = load->road->role}
                                        : quiet);
    }
}

/* Whether an area covers no box and no arrowhead, and touches no other name. */
static bool
is_free(const struct loads *l, struct rect r)
{
    struct rect around = {r.x - 1, r.y, r.width + 2, r.height};

    if (r.x < l->area.x || r.x + r.width > l->area.x + l->area.width)
        return false;
    for (int i = 0; i < l->count; i++)
        if (l->list[i].road != NULL && rect_contains(r, head_of(&l->list[i])))
            return false;
    for (int i = 0; i < l->ntaken; i++)
        if (rect_overlaps(around, l->taken[i]))
            return false;
    for (int rank = 0; rank < l->places->schedule->nranks; rank++)
        if (rect_overlaps(r, l->places->boxes[rank]))
            return false;
    return true;
}

/* Draws the number of slots after a block. */
static void
draw_count(const struct loads *l, struct point at, int nslots)
{
    char text[16];

    snprintf(text, sizeof text, "x%d", nslots);
    canvas_puts(l->canvas, at.x, at.y, text, plain);
}

static int
count_columns(int nslots)
{
    return nslots > 1 ? snprintf(NULL, 0, "x%d", nslots) : 0;
}

/* The block of data on a road, which has more room than a small slot. */
static struct block
block_of(const struct places *p, const uint64_t *row)
{
    struct block b = {.world = p->scene->world, .row = row,
                      .glyphs = p->scene->glyphs, .form = p->look.form,
                      .colourless = p->scene->colourless,
                      .snug = true, .changed = true};

    if (b.form > BLOCK_LETTERS)
        b.form = BLOCK_LETTERS;
    b.width = block_columns(p->schedule, b.form, p->schedule->nranks, false) +
              2;
    return b;
}

/* The place for a name right before the way turns towards the receiver. */
static struct point
before_turn(const struct route *way, int width)
{
    struct point turn = way->points[way->count > 1 ? way->count - 2 : 0];
    bool right = turn.x > way->points[0].x;

    return (struct point){right ? turn.x - width - 1 : turn.x + 2, turn.y};
}

/* At rest, draws the name of the data that moved along a road, in at most
 * `columns`: in the middle of the road or, if others have that place, nearer to
 * one end; in a fan of roads, near the receiver. Returns false if there is no
 * free place for it. */
static bool
draw_name(struct loads *l, const struct load *load, int columns)
{
    static const double places[] = {0.5, 0.35, 0.25, 0.65, 0.15, 0.8, 0};
    const struct world *w = l->places->scene->world;
    struct block block = block_of(
        l->places,
        world_row_at(w, load->first->src, load->slot, w->position - 1));
    int width, more = count_columns(load->nslots) + load->joined;

    block.trace = true;
    if (block.width > columns)
        block.width = columns;
    width = block_draw(&block, NULL, 0, 0);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct point at = l->places->crowded && i == 0
                              ? before_turn(&load->way, width + more)
                              : route_at(&load->way, places[i], width + more);
        struct rect r = {at.x, at.y, width + more, 1};
        if (!is_free(l, r))
            continue;
        block_draw(&block, l->canvas, at.x, at.y);
        if (load->nslots > 1)
            draw_count(l, (struct point){at.x + width, at.y}, load->nslots);
        if (load->joined)
            canvas_put(l->canvas, at.x + width + more - 1, at.y,
                       glyph(l->places->scene->glyphs, GLYPH_LOST), warning);
        l->taken[l->ntaken++] = r;
        return true;
    }
    return false;
}

void
roads_draw(const struct places *p, struct canvas *c, struct rect area)
{
    static const int widths[] = {24, 14, 8, 4, 2};
    struct loads l;

    loads_init(&l, p, c, area);
    draw_lines(&l);
    draw_arrowheads(&l);
    for (int i = 0; i < l.count && p->scene->step == 0 && p->line_names; i++)
        for (size_t k = 0; k < sizeof widths / sizeof widths[0]; k++)
            if (!l.list[i].followed || l.list[i].road == NULL ||
                draw_name(&l, &l.list[i], widths[k]))
                break;
    loads_done(&l);
}

/* Draws the block on its way. Between boxes side by side there may be room for
 * only a part of it. */
static void
draw_flight(const struct loads *l, const struct load *load)
{
    struct route way = load->way;
    struct block block =
        block_of(l->places, world_row(l->places->scene->world,
                                      load->first->src, load->slot));
    int more = count_columns(load->nslots), width;
    int room = abs(way.points[way.count - 1].x - way.points[0].x) + 1;
    bool level = way.count == 2 &&
                 way.points[way.count - 1].y == way.points[0].y;
    struct point at;

    if (level && block.width + more > room)
        more = 0;
    if (level && block.width > room)
        block.width = room;
    block.faint = block.trace = !load->followed;
    width = block_draw(&block, NULL, 0, 0);
    at = route_at(&way, load->progress, width + more);
    block_draw(&block, l->canvas, at.x, at.y);
    if (more > 0)
        draw_count(l, (struct point){at.x + width, at.y}, load->nslots);
}

void
roads_draw_flights(const struct places *p, struct canvas *c)
{
    struct loads l;

    if (p->scene->step == 0)
        return;
    loads_init(&l, p, c, (struct rect){0, 0, c->columns, c->rows});
    for (int i = 0; i < l.count; i++)
        if (!l.list[i].landed)
            draw_flight(&l, &l.list[i]);
    loads_done(&l);
}
