/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "draw/glyph.h"
#include "draw/wires.h"
#include "view/wiring_loads.h"

enum { NAME_COLUMNS = 14 };

static const struct pen warning = {.fg = ROLE_WARNING, .attrs = ATTR_BOLD};

struct picture {
    const struct scene *scene;
    struct canvas *canvas;
    struct rect area;
    struct wiring *wiring;
    struct rank_boxes boxes;
    struct rect *taken; /* areas of the names on links */
    int ntaken;
};

/* Each of two trees has its own colour; otherwise idle links are quiet. */
static enum role
role_of(const struct wiring *w, const struct link *link, bool busy)
{
    if (w->schedule->topology.kind == TOPOLOGY_TREES)
        return ROLE_TREE + (link->part != 0);
    return busy ? ROLE_TEXT : ROLE_QUIET;
}

/* Marks a link that leaves a host, where no name covers the mark. */
static void
mark_host(const struct picture *p, const struct link *link)
{
    struct point at = path_at(&link->path, 0.2, 1);

    if (run_leaves_host(p->scene->world->run, link->a, link->b))
        canvas_put(p->canvas, at.x, at.y, '~', (struct pen){0});
}

static void
draw_links(const struct picture *p, const struct wiring_load *loads,
           int nloads)
{
    const struct wiring *w = p->wiring;
    struct wires wires;

    wires_init(&wires, (struct rect){0, 0, p->canvas->columns,
                                     p->canvas->rows});
    for (int i = 0; i < nloads; i++) {
        const struct link *link = loads[i].link;
        wires_add(&wires, &link->path, link->group, loads[i].followed,
                  role_of(w, link, loads[i].followed));
    }
    for (int i = 0; i < w->nlinks; i++)
        wires_add(&wires, &w->links[i].path, w->links[i].group, false,
                  role_of(w, &w->links[i], false));
    wires_draw(&wires, p->canvas, p->scene->glyphs);
    wires_done(&wires);
    for (int i = 0; i < w->nlinks; i++)
        mark_host(p, &w->links[i]);
}

/* Data that was lost is struck out at its arrowhead, or at its name if other
 * data has arrived there. */
static void
draw_arrowheads(const struct picture *p, const struct wiring_load *loads,
                int nloads)
{
    for (int i = 0; i < nloads; i++) {
        struct rect box = wiring_box(p->wiring, loads[i].first->dst);
        struct point at = wiring_load_head(&loads[i]);
        bool lost = loads[i].lost && !loads[i].joined;
        enum glyph head = lost                         ? GLYPH_LOST
                          : at.y < box.y               ? GLYPH_DOWN
                          : at.y >= box.y + box.height ? GLYPH_UP
                          : at.x < box.x               ? GLYPH_RIGHT
                                                       : GLYPH_LEFT;
        canvas_put(p->canvas, at.x, at.y, glyph(p->scene->glyphs, head),
                   lost                ? warning
                   : loads[i].followed ? (struct pen){0}
                                       : (struct pen){.fg = ROLE_QUIET});
    }
}


/* Whether an area covers no box and not the arrowhead, and touches no other
 * name. */
static bool
is_free(const struct picture *p, struct rect r, struct point head)
{
    struct rect around = {r.x - 1, r.y, r.width + 2, r.height};

    if (r.x < p->area.x || r.x + r.width > p->area.x + p->area.width ||
        rect_contains(r, head))
        return false;
    for (int i = 0; i < p->ntaken; i++)
        if (rect_overlaps(around, p->taken[i]))
            return false;
    for (int rank = 0; rank < p->wiring->schedule->nranks; rank++)
        if (rect_overlaps(r, wiring_box(p->wiring, rank)))
            return false;
    return true;
}

/* Draws the number of slots after a block. */
static void
draw_count(const struct picture *p, struct point at, int nslots)
{
    char text[16];

    snprintf(text, sizeof text, "x%d", nslots);
    canvas_puts(p->canvas, at.x, at.y, text, (struct pen){0});
}

static int
count_columns(int nslots)
{
    return nslots > 1 ? snprintf(NULL, 0, "x%d", nslots) : 0;
}

/* The block for a row. If the boxes show cells, the block has the short form:
 * a link has more room. */
static struct block
block_of(const struct picture *p, const uint64_t *row)
{
    struct block b = rank_boxes_block(&p->boxes, row);

    if (rank_box_is_compact(p->boxes.shape)) {
        b.form = BLOCK_SHORT;
        b.width = block_columns_short(p->wiring->schedule);
    }
    return b;
}

/* The place for a name right before the path turns towards the receiver. */
static struct point
before_turn(const struct path *way, int width)
{
    struct point turn = way->points[way->count > 1 ? way->count - 2 : 0];
    bool right = turn.x > way->points[0].x;

    return (struct point){right ? turn.x - width - 1 : turn.x + 2, turn.y};
}

/* At rest, draws the name of the data that moved along a link, near the
 * sender, or in a fan near the receiver, in at most `columns`. Returns false if
 * there is no free place for it. */
static bool
draw_name(struct picture *p, const struct wiring_load *load, int columns)
{
    static const double places[] = {0.35, 0.25, 0.45, 0.15, 0.6, 0};
    const struct world *w = p->scene->world;
    const struct transfer *t = load->first;
    struct path way = load->way;
    struct point head = wiring_load_head(load);
    struct block block = block_of(
        p, world_row_at(w, t->src, t->src_slot, w->position - 1));
    int width, more = count_columns(load->nslots) + load->joined;

    block.trace = true;
    if (columns > block.width)
        block.width = columns;
    width = block_draw(&block, NULL, 0, 0);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        struct point at = p->wiring->crowded && i == 0
                              ? before_turn(&way, width + more)
                              : path_at(&way, places[i], width + more);
        struct rect r = {at.x, at.y, width + more, 1};
        if (!is_free(p, r, head))
            continue;
        block_draw(&block, p->canvas, at.x, at.y);
        if (load->nslots > 1)
            draw_count(p, (struct point){at.x + width, at.y}, load->nslots);
        if (load->joined)
            canvas_put(p->canvas, at.x + width + more - 1, at.y,
                       glyph(p->scene->glyphs, GLYPH_LOST), warning);
        p->taken[p->ntaken++] = r;
        return true;
    }
    return false;
}

/* In flight, draws the block on its way. Between boxes side by side there may
 * be room for only one cell. */
static void
draw_flight(const struct picture *p, const struct wiring_load *load)
{
    const struct transfer *t = load->first;
    struct path way = load->way;
    struct block block =
        block_of(p, world_row(p->scene->world, t->src, t->src_slot));
    int width = block_draw(&block, NULL, 0, 0);
    int more = count_columns(load->nslots);
    int room = abs(way.points[way.count - 1].x - way.points[0].x) + 1;
    bool level = way.points[way.count - 1].y == way.points[0].y;
    struct point at;

    if (way.count == 2 && level && width + more > room)
        more = 0;
    if (way.count == 2 && level && width > room) {
        block.form = BLOCK_CELL;
        width = 1;
    }
    at = path_at(&way, load->progress, width + more);
    block_draw(&block, p->canvas, at.x, at.y);
    if (more > 0)
        draw_count(p, (struct point){at.x + width, at.y}, load->nslots);
}

void
wiring_draw(const struct scene *s, struct canvas *c, struct rect area,
            wiring_place *place)
{
    struct wiring w;
    struct picture p = {
        .scene = s, .canvas = c, .area = area, .wiring = &w};
    struct wiring_load *loads;
    int nloads;

    if (!wiring_arrange(&w, s, area, place))
        return;
    p.boxes = (struct rank_boxes){
        .scene = s, .canvas = c, .shape = &w.box, .corners = w.corners,
        .sums = scene_names_sums(s, scene_step(s))};
    nloads = wiring_loads(&w, s, &loads);
    p.taken = mem_new((size_t)nloads + 1, sizeof *p.taken);
    draw_links(&p, loads, nloads);
    draw_arrowheads(&p, loads, nloads);
    for (int i = 0; i < nloads && s->step == 0; i++)
        if (loads[i].followed && !draw_name(&p, &loads[i], NAME_COLUMNS))
            draw_name(&p, &loads[i], 0);
    rank_boxes_draw(&p.boxes);
    for (int i = 0; i < nloads && s->step > 0; i++)
        if (loads[i].followed && !loads[i].landed)
            draw_flight(&p, &loads[i]);
    free(p.taken);
    free(loads);
}

int
wiring_rank_at(const struct scene *s, struct rect area, struct point at,
               wiring_place *place)
{
    struct wiring w;

    if (!wiring_arrange(&w, s, area, place))
        return -1;
    return rank_box_at(&w.box, w.corners, s->world->schedule->nranks, at);
}

/* Do not add a symbol: the help must fit on the smallest screen. */
const struct symbol wiring_symbols[] = {
    {NULL, GLYPH_DONE,
     N_("a link in use; thin: not, or by another GPU; ~: between hosts")},
    {"A1 x2", 0, N_("on a link: A1 and one more slot move along it")},
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"A1+C..F1", 0, N_("a sum of A, and of C to F; so are joined blocks")},
    {"S1", 0, N_("chunk 1 complete: the sum over all GPUs")},
    {NULL, GLYPH_LEVEL + 3,
     N_("a small slot: how full its sum is, then the chunk")},
    {"+ =", 0, N_("this step added to the slot, replaced it")},
    {NULL, GLYPH_SENDS, N_("the next step sends it")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};
