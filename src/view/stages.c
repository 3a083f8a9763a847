/* SPDX-License-Identifier: MIT */
/* Stages: a row for each rank, a column for each step.  A column shows what the
 * ranks hold after the step, as far as they still need it: sets that grow, bars
 * that halve and double.  The rungs before it are the transfers of the step.
 *
 * What is past comes from the world, what is ahead from the schedule
 * (schedule/outlook.h) and is drawn faintly.  In a lesson it is not drawn,
 * because it would answer the lesson's questions.
 *
 * If a few rows are lacking, as in a lesson with 16 ranks, a window shows most
 * ranks, among them the selected one. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "draw/badge.h"
#include "draw/landing.h"
#include "model/moment.h"
#include "view/stages_gaps.h"
#include "view/stages_heads.h"
#include "view/stages_window.h"
#include "view/view.h"

struct picture {
    const struct scene *scene;
    struct canvas *canvas;
    struct stages stages;
    int end;              /* the last column drawn */
    struct moment moment; /* of the column that is being drawn */
    bool *changed; /* [rank * nslots + slot]: the column's step wrote it */
};

static const struct pen quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD},
                        warning = {.fg = ROLE_WARNING, .attrs = ATTR_BOLD};

static size_t
cell_of(const struct picture *p, int rank, int slot)
{
    return (size_t)rank * (size_t)p->stages.schedule->nslots + (size_t)slot;
}

/* The row of the ledger that a slot is expected to have. */
static void
expected_row(const struct picture *p, const struct outlook_slot *slot,
             uint64_t row[LEDGER_WORDS_MAX + 1])
{
    const struct schedule *s = p->stages.schedule;
    struct ledger_entry *entries = (struct ledger_entry *)row;
    int words = ledger_words(s->nranks);
    int chunk = slot->chunk == OUTLOOK_MIXED ? 0 : slot->chunk;

    memset(row, 0, (size_t)words * sizeof *row);
    for (int rank = 0; rank < s->nranks; rank++)
        if (slot->ranks >> rank & 1)
            entries[rank] = (struct ledger_entry){1, slot->chunk};
    row[words] = (uint64_t)schedule_chunk_length(
        s, p->scene->world->run->count, chunk);
}

/* The block for a row, in the column of a step. */
static struct block
block_of(const struct picture *p, int step, const uint64_t *row)
{
    const struct stages *g = &p->stages;
    int width = stages_slot_width(g, step);
    int room = stages_column(g, step)->width;

    return (struct block){
        .world = p->scene->world,
        .row = row,
        .glyphs = p->scene->glyphs,
        .form = g->form,
        .pad = g->pad,
        .width = width < room ? width : room,
        .sums = scene_names_sums(p->scene, step),
    };
}

static void
draw_slot(const struct picture *p, int step, int rank, int slot,
          struct point at)
{
    uint64_t expected[LEDGER_WORDS_MAX + 1];
    struct block block =
        block_of(p, step, moment_row(&p->moment, rank, slot));

    block.changed =
        p->changed[cell_of(p, rank, slot)] && step == scene_step(p->scene);
    if (block.row != NULL) {
        block.wrong = world_is_wrong(p->scene->world, step, rank, slot);
        block.lost = scene_lost(p->scene, step, rank, slot, block.row);
    } else {
        expected_row(p, outlook_slot(p->stages.outlook, step, rank, slot),
                     expected);
        block.row = expected;
        block.trace = true;
        block.faint = p->scene->trail == NULL;
        block.changed = false;
    }
    if (scene_fades(p->scene, step, rank, slot))
        block.faint = block.trace = true;
    if (p->scene->trail != NULL) /* without colour, a highlight shows it */
        block.changed = !block.faint;
    block_draw(&block, p->canvas, at.x, at.y);
}

/* The place of the slot that is the `index`-th which a rank needs. */
static struct point
place_of(const struct stages *g, int step, int rank, int index)
{
    int a_row = stages_slots_a_row(g, step);
    int pitch = stages_slot_width(g, step) + g->between;

    return (struct point){stages_column(g, step)->x + index % a_row * pitch,
                          g->y + rank * g->pitch + index / a_row};
}

/* Draws the slots that a rank needs, in their order, row by row. */
static void
draw_bar(const struct picture *p, int step, int rank)
{
    const struct stages *g = &p->stages;
    int count = 0;

    for (int slot = 0; slot < g->schedule->nslots; slot++)
        if (outlook_slot(g->outlook, step, rank, slot)->needed)
            draw_slot(p, step, rank, slot, place_of(g, step, rank, count++));
}

static void
draw_landing(const void *picture, const struct landing *l)
{
    const struct picture *p = picture;
    const struct stages *g = &p->stages;
    int step = p->scene->step, index = 0;
    struct block block = block_of(p, step, l->after);

    if (p->scene->trail != NULL || /* other things are highlighted */
        !outlook_slot(g->outlook, step, l->rank, l->slot)->needed)
        return;
    for (int slot = 0; slot < l->slot; slot++)
        index += outlook_slot(g->outlook, step, l->rank, slot)->needed;
    block.changed = true;
    landing_draw(l, &block, p->canvas, place_of(g, step, l->rank, index));
}

/* Marks what the step did to a rank's slots, if that is known. */
static void
draw_marks(const struct picture *p, int step)
{
    const struct stages *g = &p->stages;
    size_t count;
    const struct transfer *t = schedule_transfers(g->schedule, step, &count);
    bool now = step == scene_step(p->scene);

    for (size_t i = 0; i < count; i++) {
        char mark = t[i].op == TRANSFER_REDUCE ? '+' : '=';
        struct pen pen = now ? (struct pen){ROLE_CURRENT, 0, ATTR_BOLD}
                             : quiet;
        if (moment_row(&p->moment, t[i].dst, t[i].dst_slot) == NULL ||
            !outlook_slot(g->outlook, step, t[i].dst, t[i].dst_slot)->needed)
            continue;
        canvas_put(p->canvas, stages_column(g, step)->x - 1,
                   stages_row(g, t[i].dst), (unsigned char)mark, pen);
    }
}

/* Whether a rank is known to hold wrong data that it still needs. */
static bool
is_wrong(const struct picture *p, int step, int rank)
{
    const struct stages *g = &p->stages;

    for (int slot = 0; slot < g->schedule->nslots; slot++)
        if (outlook_slot(g->outlook, step, rank, slot)->needed &&
            moment_row(&p->moment, rank, slot) != NULL &&
            world_is_wrong(p->scene->world, step, rank, slot))
            return true;
    return false;
}

static void
draw_column(const struct picture *p, int step)
{
    const struct stages *g = &p->stages;
    bool marks = g->form != BLOCK_PAIR && g->form != BLOCK_CELL;

    for (int rank = 0; rank < g->schedule->nranks; rank++)
        draw_bar(p, step, rank);
    if (step > g->first)
        draw_marks(p, step);
    for (int rank = 0; rank < g->schedule->nranks; rank++)
        if (marks && is_wrong(p, step, rank))
            canvas_put(p->canvas, stages_column(g, step)->x - 1,
                       stages_row(g, rank), '!', warning);
}

static void
find_changed(const struct picture *p, int step)
{
    const struct schedule *s = p->stages.schedule;
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    memset(p->changed, 0, (size_t)s->nranks * (size_t)s->nslots);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++)
            p->changed[cell_of(p, t[i].dst, t[i].dst_slot + k)] = true;
}

static void
draw_past(struct picture *p)
{
    moment_init(&p->moment, p->scene);
    for (;;) {
        int step = p->moment.step;
        find_changed(p, step);
        draw_column(p, step);
        if (step <= p->stages.first)
            break;
        moment_go_back(&p->moment);
    }
    moment_done(&p->moment);
}

static void
draw_ahead(struct picture *p)
{
    moment_init(&p->moment, p->scene);
    while (p->moment.step < p->end) {
        if (p->moment.step + 1 == p->scene->step)
            moment_fly(&p->moment);
        else
            moment_look_ahead(&p->moment);
        find_changed(p, p->moment.step);
        draw_column(p, p->moment.step);
    }
    moment_done(&p->moment);
}

static void
draw_labels(const struct picture *p)
{
    const struct stages *g = &p->stages;
    char name[SCENE_NAME_MAX];
    struct holdup holdup;
    bool held = holdup_of(p->scene, &holdup);

    for (int rank = 0; rank < g->schedule->nranks; rank++) {
        struct point at = {g->label_x, stages_row(g, rank)};
        at.x += canvas_puts(p->canvas, at.x, at.y, scene_rank_name(rank, name),
                            rank == p->scene->selected ? strong : quiet);
        if (held)
            badge_draw(&holdup, rank, p->scene->glyphs, p->canvas, at, 1);
    }
}

/* Marks what the rank that a lesson asks about holds. */
static void
draw_asked(const struct picture *p)
{
    const struct stages *g = &p->stages;
    const struct stages_column *c = stages_column(g, scene_step(p->scene));
    const struct pen pen = {.fg = ROLE_CURRENT, .attrs = ATTR_BOLD};
    int rank, slot;

    if (!scene_asks_about(p->scene, &rank, &slot))
        return;
    canvas_put(p->canvas, c->x - 1, stages_row(g, rank),
               glyph(p->scene->glyphs, GLYPH_RIGHT), pen);
    canvas_put(p->canvas, c->x + c->width, stages_row(g, rank),
               glyph(p->scene->glyphs, GLYPH_LEFT), pen);
    canvas_light(p->canvas, (struct rect){c->x - 1, stages_row(g, rank),
                                          c->width + 2, 1});
}

static void
draw_all(const struct scene *s, struct canvas *c, struct rect area)
{
    size_t cells = (size_t)s->world->schedule->nranks *
                   (size_t)s->world->schedule->nslots;
    struct picture p = {.scene = s, .canvas = c};

    if (!stages_arrange(&p.stages, s, area))
        return;
    p.changed = mem_new(cells, sizeof *p.changed);
    p.end = s->panel != NULL ? scene_step(s) : p.stages.last;
    draw_labels(&p);
    draw_past(&p);
    draw_ahead(&p);
    if (stages_shows(&p.stages, s->step))
        scene_each_landing(s, draw_landing, &p);
    for (int step = p.stages.first + 1; step <= p.end; step++)
        stages_gap_draw(&p.stages, s, step, c);
    stages_flights_draw(&p.stages, s, c);
    draw_asked(&p);
    stages_heads_draw(&p.stages, s, p.end, c);
    free(p.changed);
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct canvas whole = {0};
    struct stages_window w;

    stages_window(&w, s, area);
    if (w.whole.height == area.height) {
        draw_all(s, c, area);
        return;
    }
    canvas_resize(&whole, c->columns, w.whole.y + w.whole.height);
    draw_all(s, &whole, w.whole);
    stages_window_draw(&w, &whole, c, area);
    canvas_done(&whole);
}

static bool
suits(const struct scene *s, struct rect area)
{
    struct stages g;
    struct stages_window w;

    stages_window(&w, s, area);
    return stages_arrange(&g, s, w.whole);
}

static int
rank_at(const struct scene *s, struct rect area, struct point at)
{
    struct stages g;
    struct stages_window w;
    int row;

    stages_window(&w, s, area);
    if (!stages_arrange(&g, s, w.whole) || at.y < g.y)
        return -1;
    row = (at.y - g.y) / g.pitch;
    if (w.whole.height > area.height)
        row += w.first > 0 ? w.first - 1 : 0;
    return row >= w.first && row < w.first + w.count ? row : -1;
}

static const struct symbol symbols[] = {
    {"ABCD", 0, N_("what a GPU holds after a step: here A's to D's data")},
    {NULL, GLYPH_LEVEL + 3, N_("a slot with a part of the sum")},
    {"S", 0, N_("complete: the sum over all GPUs")},
    {"0123", 0, N_("the last digits of chunks, if all data is the root's")},
    {NULL, GLYPH_HERE, N_("sends along the line to the arrowheads")},
    {NULL, GLYPH_RIGHT, N_("which way data moves, or may move, along a link")},
    {"+", 0, N_("the step added to what the GPU holds")},
    {"=", 0, N_("the step brought new data")},
    {NULL, GLYPH_CUT, N_("dotted or faint: still to come")},
    {NULL, GLYPH_EMPTY, N_("an empty slot")},
    {"... +4", 0, N_("four more columns, for which there is no room")},
    {"!", 0, N_("something is wrong there")},
    {NULL, 0, NULL},
};

const struct view view_stages = {
    .name = N_("stages"),
    .chosen_for = VIEW_OF(TOPOLOGY_ANY) | VIEW_OF(TOPOLOGY_BINOMIAL) |
                  VIEW_OF(TOPOLOGY_CUBE) | VIEW_OF(TOPOLOGY_STAR),
    .suits = suits,
    .draw = draw,
    .rank_at = rank_at,
    .symbols = symbols,
    .moves = true,
};
