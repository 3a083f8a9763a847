/* SPDX-License-Identifier: MIT */
/* The ring: a box with slots for every rank, and blocks that travel along the
 * paths between the boxes. */
#include <stdlib.h>

#include "base/translate.h"
#include "draw/block.h"
#include "draw/glyph.h"
#include "view/ring_layout.h"
#include "view/view.h"

enum { NAME_COLUMNS = 14 }; /* between rows of boxes */

struct ring {
    const struct scene *scene;
    struct canvas *canvas;
    struct ring_layout layout;
    struct point corners[SCHEDULE_RANKS_MAX];
    struct rank_boxes boxes;
};

static const struct pen quiet = {.fg = ROLE_QUIET};

/* Draws the lines between neighbours, with a mark where a line leaves a host. A
 * ring's schedule has no other transfers. */
static void
draw_paths(const struct ring *r)
{
    const struct ring_layout *l = &r->layout;

    for (int rank = 0; rank < l->nranks && l->nranks > 1; rank++) {
        struct path p =
            ring_layout_path(l, rank, (rank + 1) % l->nranks);
        path_draw(&p, r->canvas, r->scene->glyphs, quiet);
        if (run_leaves_host(r->scene->world->run, rank,
                            (rank + 1) % l->nranks)) {
            struct point at = path_at(&p, 0.2, 1);
            canvas_put(r->canvas, at.x, at.y, '~', (struct pen){0});
        }
    }
}

/* A block beside the boxes.  A cell does not say which chunk it is. */
static struct block
moving_block(const struct ring *r, const uint64_t *row)
{
    struct block block = rank_boxes_block(&r->boxes, row);

    if (block.form == BLOCK_CELL) {
        block.form = BLOCK_PAIR;
        block.width = block_columns_pair(r->scene->world->schedule);
    }
    return block;
}

static void
draw_travelling(const struct ring *r, const struct path *path,
                const struct block *block, double progress)
{
    int width = block_draw(block, NULL, 0, 0);
    struct point at = path_at(path, progress, width);

    block_draw(block, r->canvas, at.x, at.y);
}

static void
draw_flights(const struct ring *r)
{
    const struct scene *s = r->scene;

    for (size_t i = 0; i < s->nflights; i++) {
        const struct flight *f = &s->flights[i];
        const struct transfer *t = f->transfer;
        struct block block =
            moving_block(r, world_row(s->world, t->src, t->src_slot));
        struct path path = ring_layout_path(&r->layout, t->src, t->dst);

        block.faint = block.trace =
            scene_fades_transfer(s, scene_step(s), t);
        if (!flight_landed(f) && t->src != t->dst)
            draw_travelling(r, &path, &block,
                            f->event != NULL ? f->progress : 0);
    }
}

/* Draws the name of the data that moved along a path, unless it would cover the
 * whole path. */
static void
draw_trace(const struct ring *r, const struct transfer *t)
{
    struct path path = ring_layout_path(&r->layout, t->src, t->dst);
    const struct world *w = r->scene->world;
    struct block block = moving_block(
        r, world_row_at(w, t->src, t->src_slot, w->position - 1));
    int room = abs(path.points[1].x - path.points[0].x) - 1;

    block.trace = true;
    block.faint = scene_fades_transfer(r->scene, scene_step(r->scene), t);
    if (block.form == BLOCK_SHORT && block.width < NAME_COLUMNS)
        block.width = NAME_COLUMNS;
    if (path.points[0].y == path.points[1].y && path.count == 2) {
        if (block_draw(&block, NULL, 0, 0) > room)
            block.form = BLOCK_SHORT;
        if (block.width > room)
            block.width = room;
        if (block.form == BLOCK_SHORT &&
            room < block_columns_short(w->schedule))
            return;
    }
    draw_travelling(r, &path, &block, 0.5);
}

/* At rest, draws the transfers of the last step. */
static void
draw_traces(const struct ring *r)
{
    const struct scene *s = r->scene;
    size_t count;
    const struct transfer *t =
        schedule_transfers(s->world->schedule, s->world->position, &count);

    for (size_t i = 0; i < count; i++)
        if (ring_layout_neighbours(&r->layout, t[i].src, t[i].dst))
            draw_trace(r, &t[i]);
}

/* Strikes out the transfers that were dropped, where they should have
 * arrived. */
static void
draw_lost(const struct ring *r)
{
    const struct scene *s = r->scene;
    size_t count;
    const struct transfer *t =
        schedule_transfers(s->world->schedule, scene_step(s), &count);

    for (size_t i = 0; i < count; i++) {
        struct path path;
        if (!scene_lacks(s, i) ||
            !ring_layout_neighbours(&r->layout, t[i].src, t[i].dst))
            continue;
        path = ring_layout_path(&r->layout, t[i].src, t[i].dst);
        canvas_put(r->canvas, path.points[path.count - 1].x,
                   path.points[path.count - 1].y,
                   glyph(s->glyphs, GLYPH_LOST),
                   (struct pen){.fg = ROLE_WARNING, .attrs = ATTR_BOLD});
    }
}

static void
place_boxes(struct ring *r)
{
    for (int rank = 0; rank < r->layout.nranks; rank++) {
        struct rect box = ring_layout_box(&r->layout, rank);
        r->corners[rank] = (struct point){box.x, box.y};
    }
    r->boxes = (struct rank_boxes){
        .scene = r->scene,
        .canvas = r->canvas,
        .shape = &r->layout.box,
        .corners = r->corners,
        .sums = scene_names_sums(r->scene, scene_step(r->scene)),
    };
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct ring r = {.scene = s, .canvas = c};

    if (!ring_layout(s->world->schedule, area, &r.layout))
        return;
    place_boxes(&r);
    draw_paths(&r);
    if (s->step == 0)
        draw_traces(&r);
    rank_boxes_draw(&r.boxes);
    if (s->step > 0)
        draw_flights(&r);
    draw_lost(&r);
}

static int
rank_at(const struct scene *s, struct rect area, struct point at)
{
    struct ring_layout layout;

    if (!ring_layout(s->world->schedule, area, &layout))
        return -1;
    for (int rank = 0; rank < layout.nranks; rank++)
        if (rect_contains(ring_layout_box(&layout, rank), at))
            return rank;
    return -1;
}

static bool
suits(const struct scene *s, struct rect area)
{
    struct ring_layout layout;

    return ring_layout(s->world->schedule, area, &layout);
}

static const struct symbol symbols[] = {
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"A1 C1", 0, N_("joined: their sum so far")},
    {"A1+C..F1", 0, N_("a sum of A, and of C to F")},
    {NULL, GLYPH_STRIPE,
     N_("no room for the name: the GPUs' colours, then the chunk")},
    {"S1", 0, N_("chunk 1 complete: the sum over all GPUs")},
    {NULL, GLYPH_LEVEL + 3,
     N_("a small slot: how full its sum is, then the chunk")},
    {"+ =", 0, N_("this step added to the slot, replaced it")},
    {NULL, GLYPH_SENDS, N_("the next step sends it")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

const struct view view_ring = {
    .name = N_("ring"),
    .topologies = VIEW_OF(TOPOLOGY_RING),
    .suits = suits,
    .draw = draw,
    .rank_at = rank_at,
    .symbols = symbols,
    .moves = true,
};
