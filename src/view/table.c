/* SPDX-License-Identifier: MIT */
/* The table: input and output side by side, a row for each rank.
 *
 * A block leaves the input and lands at its place in the output; in an
 * all-to-all that is the transposed place, so the table turns.  Blocks that
 * ranks only pass on stand between the two, in transit.  What has left the
 * input is faint there, what the output still lacks is a dot.
 *
 * The schedule says where the data of a slot stands (view/table_layout.h), the
 * world what it is.  Data that is not what was scheduled has a `!`. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "draw/path.h"
#include "view/table_heads.h"
#include "view/view.h"

struct picture {
    const struct scene *scene;
    struct canvas *canvas;
    struct table table;
    bool *leaving; /* [rank * nslots + slot]: its data is on its way */
};

static const struct pen quiet = {.fg = ROLE_QUIET};

static size_t
cell_of(const struct picture *p, int rank, int slot)
{
    return (size_t)rank * (size_t)p->table.schedule->nslots + (size_t)slot;
}

static bool
same_place(struct table_place a, struct table_place b)
{
    return a.part == b.part && a.column == b.column;
}

static struct block
block_of(const struct picture *p, enum table_part part, const uint64_t *row)
{
    return (struct block){
        .world = p->scene->world,
        .row = row,
        .glyphs = p->scene->glyphs,
        .form = p->table.parts[part].form,
        .pad = p->table.pad,
        .width = p->table.parts[part].width,
        .sums = scene_names_sums(p->scene, scene_step(p->scene)),
    };
}

/* Draws what a rank has sent away, or has at its place in the output, as it was
 * in the input. */
static void
draw_ghost(const struct picture *p, int rank, int chunk)
{
    const struct schedule *s = p->table.schedule;
    uint64_t row[LEDGER_WORDS_MAX + 1] = {0};
    struct block block = block_of(p, TABLE_INPUT, row);
    struct point at = table_point(
        &p->table, rank, (struct table_place){TABLE_INPUT, chunk});

    ledger_input(row, s->nranks, rank, chunk);
    row[ledger_words(s->nranks)] = 1;
    block.faint = block.trace = true;
    block_draw(&block, p->canvas, at.x, at.y);
}

/* Draws the input as if all had left it, and the output as if nothing had
 * arrived. */
static void
draw_empty(const struct picture *p)
{
    const struct table *t = &p->table;
    uint32_t dot = glyph(p->scene->glyphs, GLYPH_EMPTY);

    for (int rank = 0; rank < t->schedule->nranks; rank++) {
        for (int i = 0; i < schedule_input(t->schedule, rank).count; i++)
            draw_ghost(p, rank, i);
        for (int i = 0; i < schedule_output(t->schedule, rank).count; i++) {
            struct point at = table_point(
                t, rank, (struct table_place){TABLE_OUTPUT, i});
            canvas_put(p->canvas,
                       at.x + (t->parts[TABLE_OUTPUT].width - 1) / 2, at.y,
                       dot, quiet);
        }
    }
}

static void
put_mark(const struct picture *p, enum table_part part, struct point at,
         char mark)
{
    if (p->table.parts[part].marked)
        canvas_put(p->canvas, at.x - 1, at.y, (unsigned char)mark,
                   (struct pen){.fg = mark == '!' ? ROLE_WARNING
                                                  : ROLE_CURRENT,
                                .attrs = ATTR_BOLD});
}

/* Whether a row holds what the schedule says. */
static bool
is_expected(const struct picture *p, int step, int rank, int slot,
            const uint64_t *row)
{
    const struct outlook_slot *data =
        outlook_slot(p->table.outlook, step, rank, slot);
    const struct ledger_entry *entries = (const struct ledger_entry *)row;

    for (int i = 0; i < p->table.schedule->nranks; i++) {
        bool expected = data->ranks >> i & 1;
        if (entries[i].times != expected ||
            (expected && entries[i].chunk != data->chunk))
            return false;
    }
    return true;
}

/* Whether nothing of what should be in a slot has arrived there. */
static bool
lacks_all(const struct picture *p, int step, int rank, int slot,
          struct lost lost)
{
    return lost.ranks != 0 &&
           lost.ranks ==
               outlook_slot(p->table.outlook, step, rank, slot)->ranks;
}

/* Draws what a slot holds after a step. The mark says what the step did to it;
 * blank: nothing.  If nothing has arrived, what the slot held before does not
 * belong there: only what was lost is drawn. */
static void
draw_slot(const struct picture *p, int step, int rank, int slot,
          const uint64_t *row, char mark)
{
    struct table_place place = table_place(&p->table, step, rank, slot);
    bool wrong = !is_expected(p, step, rank, slot, row) ||
                 world_is_wrong(p->scene->world, step, rank, slot);
    static const uint64_t nothing[LEDGER_WORDS_MAX + 1];
    struct block block;
    struct point at;

    if (place.part < 0)
        return;
    at = table_point(&p->table, rank, place);
    block = block_of(p, place.part, row);
    block.changed = mark != ' ';
    block.wrong = wrong && !p->table.parts[place.part].marked;
    block.lost = scene_lost(p->scene, step, rank, slot, row);
    if (lacks_all(p, step, rank, slot, block.lost))
        block.row = nothing;
    canvas_fill(p->canvas, at.x, at.y, block.width, ' ', (struct pen){0});
    block_draw(&block, p->canvas, at.x, at.y);
    if (p->table.tall)
        block_draw_lower(&block, p->canvas, at.x, at.y + 1);
    if (p->table.values)
        block_draw_values(&block, p->canvas, at.x, at.y + 1 + p->table.tall);
    if (wrong)
        put_mark(p, place.part, at, '!');
    else if (mark != ' ' && place.part != TABLE_INPUT)
        put_mark(p, place.part, at, mark);
}

static void
draw_change(const void *picture, int rank, int slot, const uint64_t *row,
            char mark)
{
    const struct picture *p = picture;

    draw_slot(p, scene_step(p->scene), rank, slot, row, mark);
}

/* Marks the blocks that the next step sends to another rank. */
static void
draw_next(const struct picture *p)
{
    const struct world *w = p->scene->world;
    size_t count;
    const struct transfer *t =
        schedule_transfers(w->schedule, w->position + 1, &count);

    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots && t[i].src != t[i].dst; k++) {
            struct table_place place = table_place(
                &p->table, w->position, t[i].src, t[i].src_slot + k);
            struct point at;
            if (place.part < 0 || !p->table.parts[place.part].marked)
                continue;
            at = table_point(&p->table, t[i].src, place);
            canvas_put(p->canvas, at.x + p->table.parts[place.part].width,
                       at.y, glyph(p->scene->glyphs, GLYPH_SENDS),
                       (struct pen){.attrs = ATTR_BOLD});
        }
}

/* The places between which slot `k` of a transfer in flight moves. Returns
 * false if nothing moves in the picture. */
static bool
way_of(const struct picture *p, const struct transfer *t, int k,
       struct table_place *from, struct table_place *to)
{
    int step = p->scene->step;

    *from = table_place(&p->table, step - 1, t->src, t->src_slot + k);
    *to = table_place(&p->table, step, t->dst, t->dst_slot + k);
    return from->part >= 0 && to->part >= 0 &&
           !(t->src == t->dst && same_place(*from, *to));
}

/* Whether a slot's data is needed after the step, too, at the same place or,
 * because its own rank keeps it, in the output. */
static bool
stays(const struct picture *p, int rank, int slot, struct table_place place)
{
    struct table_place after =
        table_place(&p->table, p->scene->step, rank, slot);

    return same_place(place, after) ||
           (place.part == TABLE_INPUT && after.part == TABLE_OUTPUT);
}

static void
find_leaving(const struct picture *p)
{
    for (size_t i = 0; i < p->scene->nflights; i++) {
        const struct flight *f = &p->scene->flights[i];
        const struct transfer *t = f->transfer;
        struct table_place from, to;
        for (int k = 0; k < t->nslots; k++)
            if (f->event != NULL && f->progress > 0 &&
                way_of(p, t, k, &from, &to) &&
                !stays(p, t->src, t->src_slot + k, from))
                p->leaving[cell_of(p, t->src, t->src_slot + k)] = true;
    }
}

static void
draw_flight(const struct picture *p, const struct flight *f, int k)
{
    const struct table *g = &p->table;
    const struct transfer *t = f->transfer;
    struct table_place from, to;
    struct block block;
    struct path path = {0};
    struct point a, b, at;

    if (!way_of(p, t, k, &from, &to))
        return;
    block = block_of(p, to.part,
                     world_row(p->scene->world, t->src, t->src_slot + k));
    if (block.form == BLOCK_CELL) {
        block.form = BLOCK_PAIR;
        block.width = block_columns_pair(g->schedule);
    }
    block.changed = true;
    a = table_point(g, t->src, from);
    b = table_point(g, t->dst, to);
    path_add(&path, a.x + block.width / 2, a.y);
    path_add(&path, b.x + block.width / 2, b.y);
    at = path_at(&path, f->event != NULL ? f->progress : 0, block.width);
    block_draw(&block, p->canvas, at.x, at.y);
}

static void
draw_flights(const struct picture *p)
{
    const struct scene *s = p->scene;

    for (size_t i = 0; s->step > 0 && i < s->nflights; i++)
        for (int k = 0; k < s->flights[i].transfer->nslots; k++)
            if (!flight_landed(&s->flights[i]))
                draw_flight(p, &s->flights[i], k);
}

static void
draw_slots(const struct picture *p)
{
    const struct world *w = p->scene->world;

    for (int rank = 0; rank < w->schedule->nranks; rank++)
        for (int slot = 0; slot < w->schedule->nslots; slot++)
            if (!p->leaving[cell_of(p, rank, slot)])
                draw_slot(p, w->position, rank, slot,
                          world_row(w, rank, slot), ' ');
}

/* Lights the slot that a lesson asks about, between two arrowheads. */
static void
draw_asked(const struct picture *p)
{
    const struct pen pen = {.fg = ROLE_CURRENT, .attrs = ATTR_BOLD};
    const struct table *t = &p->table;
    struct table_place place = {TABLE_OUTPUT, 0};
    struct point at;
    int rank, slot;

    if (!scene_asks_about(p->scene, &rank, &slot))
        return;
    place.column = slot - schedule_output(t->schedule, rank).first;
    if (place.column < 0 ||
        place.column >= schedule_output(t->schedule, rank).count)
        return;
    at = table_point(t, rank, place);
    canvas_put(p->canvas, at.x - 1, at.y,
               glyph(p->scene->glyphs, GLYPH_RIGHT), pen);
    canvas_put(p->canvas, at.x + t->parts[TABLE_OUTPUT].width, at.y,
               glyph(p->scene->glyphs, GLYPH_LEFT), pen);
    canvas_light(p->canvas,
                 (struct rect){at.x - 1, at.y,
                               t->parts[TABLE_OUTPUT].width + 2, 1});
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    const struct schedule *schedule = s->world->schedule;
    struct picture p = {.scene = s, .canvas = c};

    if (!table_arrange(&p.table, s, area))
        return;
    p.leaving = mem_new((size_t)schedule->nranks * (size_t)schedule->nslots,
                        sizeof *p.leaving);
    if (s->step > 0)
        find_leaving(&p);
    table_heads_draw(&p.table, s, c);
    draw_empty(&p);
    draw_slots(&p);
    if (s->step == 0)
        draw_next(&p);
    scene_each_change(s, draw_change, &p);
    draw_flights(&p);
    draw_asked(&p);
    free(p.leaving);
    table_done(&p.table);
}

static bool
suits(const struct scene *s, struct rect area)
{
    struct table t;

    if (!table_arrange(&t, s, area))
        return false;
    table_done(&t);
    return true;
}

static int
rank_at(const struct scene *s, struct rect area, struct point at)
{
    struct table t;
    int row = -1;

    if (!table_arrange(&t, s, area))
        return -1;
    if (at.y >= t.y)
        row = (at.y - t.y) / t.pitch;
    table_done(&t);
    return row < s->world->schedule->nranks ? row : -1;
}

/* Where the data only changes its place, the table says more than the links:
 * in an all-to-all, a gather, a scatter. */
static bool
leads(const struct schedule *s)
{
    const struct collective *c = s->collective;

    return !c->reduces && (c->input == UNITS_RANKS ||
                           (c->output == UNITS_RANKS &&
                            c->output_at == AT_ROOT));
}

static const struct symbol symbols[] = {
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"to 1", 0, N_("above the input: the column's data is for GPU 1")},
    {"from 1", 0, N_("above the output: the column is for GPU 1's data")},
    {"in transit", 0, N_("what a GPU has only to pass it on")},
    {NULL, GLYPH_RIGHT, N_("from the input to the output")},
    {NULL, GLYPH_LEVEL + 3, N_("a slot with a part of the sum")},
    {NULL, GLYPH_EMPTY, N_("still to come; faint in the input: it has left")},
    {"+ =", 0, N_("this step added to the slot, replaced it")},
    {NULL, GLYPH_SENDS, N_("the next step sends it")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

const struct view view_table = {
    .name = N_("table"),
    .leads = leads,
    .suits = suits,
    .draw = draw,
    .rank_at = rank_at,
    .symbols = symbols,
    .moves = true,
};
