/* SPDX-License-Identifier: MIT */
#include "draw/rank_box.h"

#include <stdio.h>
#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/badge.h"
#include "draw/landing.h"
#include "text/text.h"

enum { WIDTH_LEAST = 3 };

static const struct pen quiet = {.fg = ROLE_QUIET};

static int
most(int a, int b)
{
    return a > b ? a : b;
}

bool
rank_box_is_compact(const struct rank_box *b)
{
    return b->form == BLOCK_CELL || b->form == BLOCK_PAIR;
}

/* The number of columns from a slot to the one to its right. */
static int
pitch(const struct rank_box *b)
{
    return rank_box_is_compact(b) ? b->slot_width + b->pad
                         : b->index_width + 1 + b->slot_width + 1;
}

void
rank_box_measure(struct rank_box *b)
{
    b->slot_rows = (b->nslots + b->slot_columns - 1) / b->slot_columns;
    b->width = b->slot_columns * pitch(b) + 2 * b->framed;
    if (rank_box_is_compact(b))
        b->width -= b->pad;
    b->width = most(b->width, most(WIDTH_LEAST,
                                   b->name_width + 2 * b->framed));
    b->height = 1 + b->framed + most(b->slot_rows, 1) * b->slot_height -
                (b->slot_height - 1 - b->tall - b->values);
}

struct point
rank_box_slot(const struct rank_box *b, struct point corner, int slot)
{
    int before = rank_box_is_compact(b) ? 0 : b->index_width + 1;
    int pad = rank_box_is_compact(b) ? b->pad : 0; /* after the last slot */
    int left = (b->width - b->slot_columns * pitch(b) + pad) / 2;

    return (struct point){
        corner.x + left + slot / b->slot_rows * pitch(b) + before,
        corner.y + 1 + slot % b->slot_rows * b->slot_height};
}

int
rank_box_at(const struct rank_box *b, const struct point *corners, int nranks,
            struct point at)
{
    for (int rank = 0; rank < nranks; rank++) {
        struct rect box = {corners[rank].x, corners[rank].y, b->width,
                           b->height};
        if (rect_contains(box, at))
            return rank;
    }
    return -1;
}

/* If the schedule is not in place, draws names above the columns of slots. */
static void
draw_regions(const struct rank_boxes *b, int rank)
{
    const struct schedule *s = b->scene->world->schedule;
    struct point corner = b->corners[rank], at;
    int bottom = corner.y + b->shape->height - 1;

    if (s->in_place || b->shape->slot_columns != 2 ||
        rank_box_is_compact(b->shape))
        return;
    at = rank_box_slot(b->shape, corner, schedule_input(s, rank).first);
    canvas_puts(b->canvas, at.x, bottom, _(" input "), quiet);
    at = rank_box_slot(b->shape, corner, schedule_output(s, rank).first);
    canvas_puts(b->canvas, at.x, bottom, _(" output "), quiet);
}

/* Draws only the rank's number if there is no room for its name. */
static void
draw_name(const struct rank_boxes *b, int rank)
{
    struct point corner = b->corners[rank];
    bool framed = b->shape->framed, selected = rank == b->scene->selected;
    int room = b->shape->width - (framed ? 4 : 0);
    struct pen pen = {.attrs = selected ? ATTR_BOLD : 0};
    char name[SCENE_NAME_MAX], title[SCENE_NAME_MAX + 2];

    scene_rank_name(rank, name);
    if (framed && utf8_columns(name) + 2 <= room) {
        snprintf(title, sizeof title, " %s ", name);
        canvas_puts(b->canvas, corner.x + 2, corner.y, title, pen);
        return;
    }
    room = b->shape->width - (framed ? 2 : 0);
    if (utf8_columns(name) > room)
        snprintf(name, sizeof name, "%d", rank);
    if (selected && !framed)
        pen.attrs |= ATTR_UNDERLINE;
    canvas_puts_within(b->canvas,
                       corner.x + (b->shape->width - utf8_columns(name)) / 2,
                       corner.y, room, name, pen);
}

/* Draws the name of the rank's host at the right end of the frame's upper line,
 * if there are several hosts and there is room beside the rank's name. */
static void
draw_host(const struct rank_boxes *b, int rank)
{
    const struct run_info *run = b->scene->world->run;
    const struct point corner = b->corners[rank];
    const char *device = text_device(run, rank);
    char name[SCENE_NAME_MAX], host[RUN_NAME_MAX + 2];
    int width;

    if (run->place != PLACE_HOST || run->nplaces < 2)
        return;
    scene_rank_name(rank, name);
    snprintf(host, sizeof host, " %.*s ", run_host_length(device), device);
    width = utf8_columns(host);
    if (width + utf8_columns(name) + 2 + 5 <= b->shape->width)
        canvas_puts(b->canvas, corner.x + b->shape->width - 2 - width,
                    corner.y, host, quiet);
}

/* Draws the badge of a rank in a run that is held up on the lower line of its
 * frame; without a frame, at the end of the name's row. */
static void
draw_badge(const struct rank_boxes *b, int rank, const struct holdup *h)
{
    const struct rank_box *shape = b->shape;
    struct point at = b->corners[rank];

    at.x += shape->framed ? 1 : shape->width;
    at.y += shape->framed ? shape->height - 1 : 0;
    badge_draw(h, rank, b->scene->glyphs, b->canvas, at,
               shape->framed ? shape->width - 2 : 1);
}

static void
draw_box(const struct rank_boxes *b, int rank)
{
    struct rect box = {b->corners[rank].x, b->corners[rank].y,
                       b->shape->width, b->shape->height};

    canvas_clear(b->canvas, box);
    if (b->shape->framed)
        glyph_frame(b->canvas, b->scene->glyphs, box,
                    rank == b->scene->selected ? (struct pen){0} : quiet);
    draw_name(b, rank);
    if (b->shape->framed)
        draw_host(b, rank);
    draw_regions(b, rank);
}

/* The number of a slot within its region. */
static int
number_of(const struct schedule *s, int rank, int slot)
{
    struct region in = schedule_input(s, rank);
    struct region out = schedule_output(s, rank);

    if (s->in_place) /* both regions are the same buffer */
        return slot;
    if (region_has(out, slot))
        return slot - out.first;
    return region_has(in, slot) ? slot - in.first : slot;
}

struct block
rank_boxes_block(const struct rank_boxes *b, const uint64_t *row)
{
    return (struct block){
        .world = b->scene->world,
        .row = row,
        .glyphs = b->scene->glyphs,
        .form = b->shape->form,
        .width = b->shape->slot_width,
        .pad = b->shape->pad,
        .sums = b->sums,
        .changed = true,
    };
}

/* Draws what a slot holds after a step. The mark says what the step did to it;
 * blank: nothing. */
static void
draw_slot(const struct rank_boxes *b, int step, int rank, int slot,
          const uint64_t *row, char mark)
{
    const struct rank_box *shape = b->shape;
    struct point at = rank_box_slot(shape, b->corners[rank], slot);
    struct block block = rank_boxes_block(b, row);
    char index[16];

    block.changed = mark != ' ';
    block.wrong = mark == '!';
    block.lost = scene_lost(b->scene, step, rank, slot, row);
    block.faint = block.trace = scene_fades(b->scene, step, rank, slot);
    if (b->scene->trail != NULL) /* without colour, a highlight shows it */
        block.changed = !block.faint;
    if (shape->index_width > 0) {
        snprintf(index, sizeof index, "%*d", shape->index_width,
                 number_of(b->scene->world->schedule, rank, slot));
        canvas_puts(b->canvas, at.x - 1 - shape->index_width, at.y, index,
                    quiet);
    }
    if (!rank_box_is_compact(shape))
        canvas_put(b->canvas, at.x - 1, at.y, (unsigned char)mark,
                   (struct pen){.fg = mark == '!' ? ROLE_WARNING
                                                  : ROLE_CURRENT,
                                .attrs = ATTR_BOLD});
    canvas_fill(b->canvas, at.x, at.y, shape->slot_width, ' ',
                (struct pen){0});
    block_draw(&block, b->canvas, at.x, at.y);
    if (shape->tall)
        block_draw_lower(&block, b->canvas, at.x, at.y + 1);
    if (shape->values)
        block_draw_values(&block, b->canvas, at.x, at.y + 1 + shape->tall);
}

static void
draw_change(const void *boxes, int rank, int slot, const uint64_t *row,
            char mark)
{
    const struct rank_boxes *b = boxes;

    draw_slot(b, scene_step(b->scene), rank, slot, row, mark);
}

static void
draw_landing(const void *boxes, const struct landing *l)
{
    const struct rank_boxes *b = boxes;
    struct point at = rank_box_slot(b->shape, b->corners[l->rank], l->slot);
    struct block block = rank_boxes_block(b, l->after);

    if (b->scene->trail != NULL) /* other things are highlighted */
        return;
    landing_draw(l, &block, b->canvas, at);
    if (b->shape->tall)
        block_draw_lower(&block, b->canvas, at.x, at.y + 1);
}

static void
draw_next(const struct rank_boxes *b)
{
    const struct scene *s = b->scene;
    size_t count;
    const struct transfer *t =
        schedule_transfers(s->world->schedule, s->world->position + 1, &count);

    if (rank_box_is_compact(b->shape))
        return;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++) {
            struct point at = rank_box_slot(b->shape, b->corners[t[i].src],
                                            t[i].src_slot + k);
            canvas_put(b->canvas, at.x + b->shape->slot_width, at.y,
                       glyph(s->glyphs, GLYPH_SENDS),
                       (struct pen){.attrs = ATTR_BOLD});
        }
}

/* Lights the slot that a lesson asks about, between two arrowheads. */
static void
draw_asked(const struct rank_boxes *b)
{
    const struct rank_box *shape = b->shape;
    const struct pen pen = {.fg = ROLE_CURRENT, .attrs = ATTR_BOLD};
    struct point at;
    int rank, slot;

    if (!scene_asks_about(b->scene, &rank, &slot) || slot >= shape->nslots)
        return;
    at = rank_box_slot(shape, b->corners[rank], slot);
    if (rank_box_is_compact(shape)) {
        canvas_turn(b->canvas,
                    (struct rect){at.x, at.y, shape->slot_width, 1});
        return;
    }
    canvas_put(b->canvas, at.x - 1, at.y,
               glyph(b->scene->glyphs, GLYPH_RIGHT), pen);
    canvas_put(b->canvas, at.x + shape->slot_width, at.y,
               glyph(b->scene->glyphs, GLYPH_LEFT), pen);
    canvas_light(b->canvas, (struct rect){at.x - 1, at.y,
                                          shape->slot_width + 2, 1});
}

void
rank_boxes_draw(const struct rank_boxes *b)
{
    const struct scene *s = b->scene;
    struct holdup holdup;
    bool held = holdup_of(s, &holdup);
    int step = s->world->position;

    for (int rank = 0; rank < s->world->schedule->nranks; rank++) {
        draw_box(b, rank);
        for (int slot = 0; slot < b->shape->nslots; slot++)
            draw_slot(b, step, rank, slot, world_row(s->world, rank, slot),
                      world_is_wrong(s->world, step, rank, slot) ? '!' : ' ');
    }
    for (int rank = 0; held && rank < s->world->schedule->nranks; rank++)
        draw_badge(b, rank, &holdup);
    draw_next(b);
    scene_each_change(s, draw_change, b);
    scene_each_landing(s, draw_landing, b);
    draw_asked(b);
}
