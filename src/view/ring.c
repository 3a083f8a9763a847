/* SPDX-License-Identifier: MIT */
/* The ring: a box for every rank, its slots in it, and blocks that travel
 * along the paths between the boxes.
 *
 *     ╭─ GPU 0 ─────────╮      0  the slot's number
 *     │0 ▐A0▌           │      +  was added to in this step
 *     │1+▐A1▌C1▌        │      =  was replaced
 *     │2 ▐A2▌          ›│      ›  is sent in the next
 *     ╰─────────────────╯                                              */
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "view/block.h"
#include "view/ring_layout.h"
#include "view/view.h"

struct ring {
    const struct scene *scene;
    struct canvas *canvas;
    struct ring_layout layout;
    bool sums;
};

static const struct pen quiet = {.fg = ROLE_QUIET};

/* Out of place, what the columns of slots are. */
static void
draw_regions(const struct ring *r, int rank)
{
    const struct schedule *s = r->scene->world->schedule;
    struct rect box = ring_layout_box(&r->layout, rank);
    int bottom = box.y + box.height - 1;
    struct point at;

    if (s->in_place || r->layout.slot_columns != 2)
        return;
    at = ring_layout_slot(&r->layout, rank, schedule_input(s, rank).first);
    canvas_puts(r->canvas, at.x, bottom, _(" input "), quiet);
    at = ring_layout_slot(&r->layout, rank, schedule_output(s, rank).first);
    canvas_puts(r->canvas, at.x, bottom, _(" output "), quiet);
}

static void
draw_box(const struct ring *r, int rank)
{
    struct rect box = ring_layout_box(&r->layout, rank);
    bool selected = rank == r->scene->selected;
    char name[SCENE_NAME_MAX], title[SCENE_NAME_MAX + 2];

    canvas_clear(r->canvas, box);
    glyph_frame(r->canvas, r->scene->glyphs, box,
                selected ? (struct pen){0} : quiet);
    snprintf(title, sizeof title, " %s ", scene_rank_name(rank, name));
    canvas_puts_within(r->canvas, box.x + 2, box.y, box.width - 4, title,
                       (struct pen){.attrs = selected ? ATTR_BOLD : 0});
    draw_regions(r, rank);
}

static bool
is_in(struct region region, int slot)
{
    return slot >= region.first && slot < region.first + region.count;
}

/* As it is called within its region. */
static int
number_of(const struct schedule *s, int rank, int slot)
{
    struct region in = schedule_input(s, rank);
    struct region out = schedule_output(s, rank);

    if (is_in(out, slot))
        return slot - out.first;
    return is_in(in, slot) ? slot - in.first : slot;
}

/* The first numbers of a slot, below its block. */
static void
draw_values(const struct ring *r, struct point at, const uint64_t *content)
{
    const struct world *w = r->scene->world;
    const uint64_t *values = content + ledger_words(w->schedule->nranks);
    int64_t length = (int64_t)*values++;
    char number[DTYPE_TEXT_MAX];
    struct buf text = {0};

    for (int i = 0; i < EVENT_VALUES && i < length; i++) {
        dtype_format(w->run->type, &values[i], number);
        buf_addf(&text, "%s%s", i > 0 ? " " : "", number);
    }
    if (length > EVENT_VALUES)
        buf_puts(&text, " ...");
    canvas_fill(r->canvas, at.x, at.y, r->layout.slot_width, ' ', quiet);
    canvas_puts_within(r->canvas, at.x + 1, at.y, r->layout.slot_width - 1,
                       buf_text(&text), quiet);
    buf_done(&text);
}

static void
draw_slot(const struct ring *r, int rank, int slot, const uint64_t *row,
          char mark)
{
    const struct ring_layout *l = &r->layout;
    struct point at = ring_layout_slot(l, rank, slot);
    struct block block = {
        .world = r->scene->world,
        .row = row,
        .glyphs = r->scene->glyphs,
        .form = l->form,
        .width = l->slot_width,
        .pad = l->pad,
        .sums = r->sums,
        .changed = mark != ' ',
    };
    char index[16];

    if (l->index_width > 0) {
        snprintf(index, sizeof index, "%*d", l->index_width,
                 number_of(r->scene->world->schedule, rank, slot));
        canvas_puts(r->canvas, at.x - 1 - l->index_width, at.y, index, quiet);
    }
    canvas_put(r->canvas, at.x - 1, at.y, (unsigned char)mark,
               (struct pen){.fg = mark == '!' ? ROLE_WARNING : ROLE_CURRENT,
                            .attrs = ATTR_BOLD});
    canvas_fill(r->canvas, at.x, at.y, l->slot_width, ' ', (struct pen){0});
    block_draw(&block, r->canvas, at.x, at.y);
    if (l->values)
        draw_values(r, (struct point){at.x, at.y + 1}, row);
}

static char
mark_of(const struct ring *r, const struct transfer *t)
{
    if (scene_fault(r->scene, t) != 0)
        return '!';
    return t->op == TRANSFER_REDUCE ? '+' : '=';
}

/* At rest, what the step did to get here. */
static void
draw_changed(const struct ring *r)
{
    const struct scene *s = r->scene;
    const struct transfer *t;
    const struct step *p = scene_transfers(s, s->world->position, &t);

    for (size_t i = 0; p != NULL && i < p->count; i++)
        for (int k = 0; k < t[i].nslots; k++)
            draw_slot(r, t[i].dst, t[i].dst_slot + k,
                      world_row(s->world, t[i].dst, t[i].dst_slot + k),
                      mark_of(r, &t[i]));
}

/* In flight, what has arrived so far. */
static void
draw_landed(const struct ring *r)
{
    const struct scene *s = r->scene;
    size_t words = (size_t)content_words(s->world->schedule->nranks);

    for (size_t i = 0; i < s->nflights; i++) {
        const struct flight *f = &s->flights[i];
        if (!flight_landed(f) || f->event->content == NULL)
            continue;
        for (int k = 0; k < f->event->nslots; k++)
            draw_slot(r, f->event->dst, f->event->dst_slot + k,
                      f->event->content + (size_t)k * words,
                      mark_of(r, f->transfer));
    }
}

static void
draw_next(const struct ring *r)
{
    const struct scene *s = r->scene;
    const struct transfer *t;
    const struct step *p = scene_transfers(s, s->world->position + 1, &t);

    for (size_t i = 0; p != NULL && i < p->count; i++)
        for (int k = 0; k < t[i].nslots; k++) {
            struct point at =
                ring_layout_slot(&r->layout, t[i].src, t[i].src_slot + k);
            canvas_put(r->canvas, at.x + r->layout.slot_width, at.y,
                       glyph(s->glyphs, GLYPH_SENDS),
                       (struct pen){.attrs = ATTR_BOLD});
        }
}

/* A line for every pair of neighbours between which something ever moves; the
 * ring has no others. */
static void
draw_paths(const struct ring *r)
{
    const struct ring_layout *l = &r->layout;

    for (int rank = 0; rank < l->nranks && l->nranks > 1; rank++) {
        struct path p =
            ring_layout_path(l, rank, (rank + 1) % l->nranks);
        path_draw(&p, r->canvas, r->scene->glyphs, quiet);
    }
}

static struct block
block_of(const struct ring *r, const uint64_t *row)
{
    return (struct block){
        .world = r->scene->world,
        .row = row,
        .glyphs = r->scene->glyphs,
        .form = r->layout.form,
        .width = r->layout.slot_width,
        .pad = r->layout.pad,
        .sums = r->sums,
        .changed = true,
    };
}

static void
draw_travelling(const struct ring *r, const struct path *path,
                const struct block *block, double progress)
{
    int width = block_draw(block, NULL, 0, 0);
    struct point at = path_at_wide(path, progress, width);

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
            block_of(r, world_row(s->world, t->src, t->src_slot));
        struct path path = ring_layout_path(&r->layout, t->src, t->dst);

        if (!flight_landed(f) && t->src != t->dst)
            draw_travelling(r, &path, &block,
                            f->event != NULL ? f->progress : 0);
    }
}

/* The name of what went along a path, where that leaves some of it to be
 * seen. */
static void
draw_trace(const struct ring *r, const struct transfer *t)
{
    struct path path = ring_layout_path(&r->layout, t->src, t->dst);
    const struct world *w = r->scene->world;
    struct block block = block_of(
        r, world_row_at(w, t->src, t->src_slot, w->position - 1));
    int room = abs(path.points[1].x - path.points[0].x) - 1;

    block.trace = true;
    if (path.points[0].y == path.points[1].y && path.count == 2) {
        if (block_draw(&block, NULL, 0, 0) > room)
            block.form = BLOCK_SHORT;
        if (block.width > room)
            block.width = room;
        if (room < block_columns_short(w->schedule))
            return;
    }
    draw_travelling(r, &path, &block, 0.5);
}

/* At rest, what went where in the step that led here. */
static void
draw_traces(const struct ring *r)
{
    const struct scene *s = r->scene;
    const struct transfer *t;
    const struct step *p = scene_transfers(s, s->world->position, &t);

    for (size_t i = 0; p != NULL && i < p->count; i++)
        if (ring_layout_neighbours(&r->layout, t[i].src, t[i].dst))
            draw_trace(r, &t[i]);
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct ring r = {.scene = s, .canvas = c};
    const struct world *w = s->world;

    if (!ring_layout(w->schedule, area, &r.layout))
        return;
    r.sums = scene_names_sums(s, scene_step(s));
    draw_paths(&r);
    if (s->step == 0)
        draw_traces(&r);
    for (int rank = 0; rank < r.layout.nranks; rank++) {
        draw_box(&r, rank);
        for (int slot = 0; slot < r.layout.nslots; slot++)
            draw_slot(&r, rank, slot, world_row(w, rank, slot), ' ');
    }
    draw_next(&r);
    if (s->step == 0) {
        draw_changed(&r);
    } else {
        draw_landed(&r);
        draw_flights(&r);
    }
}

static int
rank_at(const struct scene *s, struct rect area, struct point at)
{
    struct ring_layout layout;

    if (!ring_layout(s->world->schedule, area, &layout))
        return -1;
    for (int rank = 0; rank < layout.nranks; rank++) {
        struct rect box = ring_layout_box(&layout, rank);
        if (at.x >= box.x && at.x < box.x + box.width && at.y >= box.y &&
            at.y < box.y + box.height)
            return rank;
    }
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
    {"A-D1", 0, N_("the same in short: from A to D")},
    {"S1", 0, N_("chunk 1 complete: the sum over all GPUs")},
    {"+", 0, N_("this step added to the slot")},
    {"=", 0, N_("this step replaced it")},
    {NULL, GLYPH_SENDS, N_("it is sent next")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

const struct view view_ring = {
    .name = N_("ring"),
    .suits = suits,
    .draw = draw,
    .rank_at = rank_at,
    .symbols = symbols,
    .moves = true,
};
