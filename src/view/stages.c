/* SPDX-License-Identifier: MIT */
/* Stages: a row for each rank, a column for each step.  A column shows what the
 * ranks hold after the step, as far as they still need it: sets that grow, bars
 * that halve and double.  The rungs before it are the transfers of the step.
 *
 * What is past comes from the world, what is ahead from the schedule
 * (schedule/outlook.h) and is drawn faintly.  In a lesson it is not drawn,
 * because it would answer the lesson's questions. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "draw/badge.h"
#include "draw/path.h"
#include "model/moment.h"
#include "schedule/program.h"
#include "view/stages_heads.h"
#include "view/view.h"

struct picture {
    const struct scene *scene;
    struct canvas *canvas;
    struct stages stages;
    int end;              /* the last column drawn */
    struct moment moment; /* of the column that is being drawn */
    bool *changed; /* [rank * nslots + slot]: the column's step wrote it */
};

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
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

static void
draw_slot(const struct picture *p, int step, int rank, int slot,
          struct point at)
{
    const struct stages *g = &p->stages;
    size_t cell = cell_of(p, rank, slot);
    uint64_t expected[LEDGER_WORDS_MAX + 1];
    struct block block = {
        .world = p->scene->world,
        .row = moment_row(&p->moment, rank, slot),
        .glyphs = p->scene->glyphs,
        .form = g->form,
        .pad = g->pad,
        .width = stages_slot_width(g, step),
        .sums = scene_names_sums(p->scene, step),
        .changed = p->changed[cell] && step == scene_step(p->scene),
    };

    if (block.row != NULL) {
        block.wrong = world_is_wrong(p->scene->world, step, rank, slot);
        block.lost = scene_lost(p->scene, step, rank, slot, block.row);
    }
    if (block.width > stages_column(g, step)->width)
        block.width = stages_column(g, step)->width;
    if (block.row == NULL) {
        expected_row(p, outlook_slot(g->outlook, step, rank, slot), expected);
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

/* Draws the slots that a rank needs, in their order, row by row. */
static void
draw_bar(const struct picture *p, int step, int rank)
{
    const struct stages *g = &p->stages;
    int a_row = stages_slots_a_row(g, step), count = 0;
    int pitch = stages_slot_width(g, step) + g->between;

    for (int slot = 0; slot < g->schedule->nslots; slot++) {
        if (!outlook_slot(g->outlook, step, rank, slot)->needed)
            continue;
        draw_slot(p, step, rank, slot,
                  (struct point){stages_column(g, step)->x +
                                     count % a_row * pitch,
                                 g->y + rank * g->pitch + count / a_row});
        count++;
    }
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

/* Draws the lines of ranks through a gap: before the rungs if the rank held
 * something, after them if it still does. */
static void
draw_lines(const struct picture *p, int step)
{
    const struct stages *g = &p->stages;
    const struct stages_column *c = stages_column(g, step);
    const struct stages_column *before = stages_column(g, step - 1);
    bool ahead = step > scene_step(p->scene);
    uint32_t code = glyph(p->scene->glyphs,
                          ahead ? GLYPH_AHEAD : GLYPH_HORIZONTAL);
    struct pen pen = step == scene_step(p->scene) ? plain : quiet;

    for (int rank = 0; rank < g->schedule->nranks; rank++) {
        bool held = outlook_needs(g->outlook, step - 1, rank);
        bool holds = outlook_needs(g->outlook, step, rank);
        int y = stages_row(g, rank), from = before->x + before->width;
        const struct cell *cell;
        while (held && from > before->x &&
               (cell = canvas_at(p->canvas, from - 1, y)) != NULL &&
               cell->code == ' ' && cell->pen.bg == ROLE_TEXT)
            from--;
        if (held)
            canvas_fill(p->canvas, from + 1, y, c->rung_x - from, code, pen);
        if (holds)
            canvas_fill(p->canvas, c->rung_x, y, c->x - 1 - c->rung_x, code,
                        pen);
    }
}

/* Whether the words are about a rung: the selected rank sends along it, or it
 * sends nothing in this step and receives along it. */
static bool
is_selected(const struct picture *p, const struct rungs *all,
            const struct rung *r)
{
    unsigned senders = 0, selected = 1u << p->scene->selected;

    for (int i = 0; i < all->count; i++)
        senders |= all->rungs[i].senders;
    return (senders & selected ? r->senders : r->receivers) & selected;
}

/* Whether the data that is followed goes along a rung. */
static bool
is_trail(const struct picture *p, int step, const struct rung *r)
{
    size_t count;
    const struct transfer *t =
        schedule_transfers(p->stages.schedule, step, &count);

    for (size_t i = 0; i < count; i++)
        if (r->senders >> t[i].src & 1 && r->receivers >> t[i].dst & 1 &&
            t[i].src != t[i].dst && trail_carries(p->scene->trail, step, &t[i]))
            return true;
    return false;
}

static void
draw_rung(const struct picture *p, int step, const struct rungs *all,
          const struct rung *r)
{
    bool now = step == scene_step(p->scene), trail = p->scene->trail != NULL;
    bool thick = trail ? is_trail(p, step, r) : now && is_selected(p, all, r);
    struct rung_style style = {
        step > scene_step(p->scene) ? GLYPH_CUT
        : thick                     ? GLYPH_THICK
                                    : GLYPH_VERTICAL,
        thick           ? (struct pen){ROLE_CURRENT, 0, ATTR_BOLD}
        : now && !trail ? plain
                        : quiet};

    rung_draw(r, p->canvas, p->scene->glyphs,
              (struct point){stages_column(&p->stages, step)->rung_x +
                                 r->column,
                             stages_row(&p->stages, 0)},
              p->stages.pitch, style);
}

/* Strikes out the transfers of a step that were dropped, where they should have
 * arrived. */
static void
draw_lost(const struct picture *p, int step, const struct rungs *all)
{
    const struct scene *s = p->scene;
    size_t count;
    const struct transfer *t =
        schedule_transfers(p->stages.schedule, step, &count);

    for (size_t i = 0; i < count && step <= scene_step(s); i++) {
        const struct rung *r = rungs_find(all, t[i].src, t[i].dst);
        bool lost = step == scene_step(s)
                        ? scene_lacks(s, i)
                        : world_fault(s->world, step, &t[i]) == FAULT_DROP;
        if (r != NULL && lost)
            canvas_put(p->canvas,
                       stages_column(&p->stages, step)->rung_x + r->column,
                       stages_row(&p->stages, t[i].dst),
                       glyph(s->glyphs, GLYPH_LOST), warning);
    }
}

static void
draw_gap(const struct picture *p, int step)
{
    struct rungs r;

    rungs_of(p->stages.schedule, step, &r);
    draw_lines(p, step);
    for (int i = 0; i < r.count; i++)
        draw_rung(p, step, &r, &r.rungs[i]);
    draw_lost(p, step, &r);
}

/* Draws a block on its way: along the sender's line, the rung, and the
 * receiver's line. */
static void
draw_flight(const struct picture *p, const struct rungs *r,
            const struct flight *f)
{
    const struct stages *g = &p->stages;
    const struct transfer *t = f->transfer;
    const struct stages_column *c = stages_column(g, p->scene->step);
    const struct rung *rung = rungs_find(r, t->src, t->dst);
    struct block block = {
        .world = p->scene->world,
        .row = world_row(p->scene->world, t->src, t->src_slot),
        .glyphs = p->scene->glyphs,
        .form = g->outlook->most[0].slots > 1 ? BLOCK_PAIR : BLOCK_LETTERS,
        .width = block_columns_pair(g->schedule),
        .changed = true};
    struct path path = {0};
    struct point at;

    if (rung == NULL || flight_landed(f))
        return;
    block.faint = block.trace =
        scene_fades_transfer(p->scene, p->scene->step, t);
    path_add(&path, c->gap_x + 1, stages_row(g, t->src));
    path_add(&path, c->rung_x + rung->column, stages_row(g, t->src));
    path_add(&path, c->rung_x + rung->column, stages_row(g, t->dst));
    path_add(&path, c->x - 2, stages_row(g, t->dst));
    at = path_at(&path, f->event != NULL ? f->progress : 0, block.width);
    block_draw(&block, p->canvas, at.x, at.y);
}

static void
draw_flights(const struct picture *p)
{
    const struct scene *s = p->scene;
    struct rungs r;

    if (s->step <= p->stages.first || s->step > p->stages.last)
        return;
    rungs_of(p->stages.schedule, s->step, &r);
    for (size_t i = 0; i < s->nflights; i++)
        draw_flight(p, &r, &s->flights[i]);
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
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
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
    for (int step = p.stages.first + 1; step <= p.end; step++)
        draw_gap(&p, step);
    draw_flights(&p);
    draw_asked(&p);
    stages_heads_draw(&p.stages, s, p.end, c);
    free(p.changed);
}

static bool
suits(const struct scene *s, struct rect area)
{
    struct stages g;

    return stages_arrange(&g, s, area);
}

static int
rank_at(const struct scene *s, struct rect area, struct point at)
{
    struct stages g;
    int row;

    if (!stages_arrange(&g, s, area) || at.y < g.y)
        return -1;
    row = (at.y - g.y) / g.pitch;
    return row < g.schedule->nranks ? row : -1;
}

static const struct symbol symbols[] = {
    {"ABCD", 0, N_("what a GPU holds after a step: here A's to D's data")},
    {NULL, GLYPH_LEVEL + 3, N_("a slot with a part of the sum")},
    {"S", 0, N_("complete: the sum over all GPUs")},
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
