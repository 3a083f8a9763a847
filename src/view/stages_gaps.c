/* SPDX-License-Identifier: MIT */
#include "view/stages_gaps.h"

#include "draw/path.h"
#include "schedule/program.h"
#include "view/wiring.h"

enum { RUNGS_LIT_MOST = 8 }; /* side by side, that can be told apart */

struct gap {
    const struct stages *stages;
    const struct scene *scene;
    struct canvas *canvas;
    int step;
    struct rungs rungs;
    bool crowded; /* its rungs cannot be told apart if all are lit */
};

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        warning = {.fg = ROLE_WARNING, .attrs = ATTR_BOLD};

static void
gap_init(struct gap *p, const struct stages *g, const struct scene *s,
         int step, struct canvas *c)
{
    *p = (struct gap){.stages = g, .scene = s, .canvas = c, .step = step};
    rungs_of(g->schedule, step, &p->rungs);
    p->crowded = p->rungs.columns > RUNGS_LIT_MOST ||
                 wiring_is_crowded(g->schedule, step);
}

/* Draws the line of a rank: before the rungs if it held something, after them
 * if it still does. */
static void
draw_line(const struct gap *p, int rank, uint32_t code, struct pen pen)
{
    const struct stages *g = p->stages;
    const struct stages_column *c = stages_column(g, p->step);
    const struct stages_column *before = stages_column(g, p->step - 1);
    bool held = outlook_needs(g->outlook, p->step - 1, rank);
    bool holds = outlook_needs(g->outlook, p->step, rank);
    int y = stages_row(g, rank), from = before->x + before->width;
    const struct cell *cell;

    while (held && from > before->x &&
           (cell = canvas_at(p->canvas, from - 1, y)) != NULL &&
           cell->code == ' ' && cell->pen.bg == ROLE_TEXT)
        from--;
    if (held)
        canvas_fill(p->canvas, from + 1, y, c->rung_x - from, code, pen);
    if (holds)
        canvas_fill(p->canvas, c->rung_x, y, c->x - 1 - c->rung_x, code, pen);
}

static void
draw_lines(const struct gap *p)
{
    bool now = p->step == scene_step(p->scene);
    bool ahead = p->step > scene_step(p->scene);
    uint32_t code = glyph(p->scene->glyphs,
                          ahead ? GLYPH_AHEAD : GLYPH_HORIZONTAL);

    for (int rank = 0; rank < p->stages->schedule->nranks; rank++) {
        bool lit = now && (!p->crowded || rank == p->scene->selected);
        draw_line(p, rank, code, lit ? plain : quiet);
    }
}

/* Whether the words are about a rung: the selected rank sends along it, or it
 * sends nothing in this step and receives along it. */
static bool
is_selected(const struct gap *p, const struct rung *r)
{
    unsigned senders = 0, selected = 1u << p->scene->selected;

    for (int i = 0; i < p->rungs.count; i++)
        senders |= p->rungs.rungs[i].senders;
    return (senders & selected ? r->senders : r->receivers) & selected;
}

/* Whether the data that is followed goes along a rung. */
static bool
is_trail(const struct gap *p, const struct rung *r)
{
    size_t count;
    const struct transfer *t =
        schedule_transfers(p->stages->schedule, p->step, &count);

    for (size_t i = 0; i < count; i++)
        if (r->senders >> t[i].src & 1 && r->receivers >> t[i].dst & 1 &&
            t[i].src != t[i].dst &&
            trail_carries(p->scene->trail, p->step, &t[i]))
            return true;
    return false;
}

static void
draw_rung(const struct gap *p, const struct rung *r)
{
    bool now = p->step == scene_step(p->scene);
    bool trail = p->scene->trail != NULL;
    bool thick = trail ? is_trail(p, r) : now && is_selected(p, r);
    bool lit = now && !trail && !p->crowded;
    struct rung_style style = {
        p->step > scene_step(p->scene) ? GLYPH_CUT
        : thick                        ? GLYPH_THICK
                                       : GLYPH_VERTICAL,
        thick ? (struct pen){ROLE_CURRENT, 0, ATTR_BOLD}
        : lit ? plain
              : quiet};

    rung_draw(r, p->canvas, p->scene->glyphs,
              (struct point){stages_column(p->stages, p->step)->rung_x +
                                 r->column,
                             stages_row(p->stages, 0)},
              p->stages->pitch, style);
}

/* Strikes out the transfers of the step that were dropped, where they should
 * have arrived. */
static void
draw_lost(const struct gap *p)
{
    const struct scene *s = p->scene;
    const struct stages *g = p->stages;
    size_t count;
    const struct transfer *t =
        schedule_transfers(g->schedule, p->step, &count);

    for (size_t i = 0; i < count && p->step <= scene_step(s); i++) {
        const struct rung *r = rungs_find(&p->rungs, t[i].src, t[i].dst);
        bool lost = p->step == scene_step(s)
                        ? scene_lacks(s, i)
                        : world_fault(s->world, p->step, &t[i]) == FAULT_DROP;
        if (r != NULL && lost)
            canvas_put(p->canvas,
                       stages_column(g, p->step)->rung_x + r->column,
                       stages_row(g, t[i].dst), glyph(s->glyphs, GLYPH_LOST),
                       warning);
    }
}

void
stages_gap_draw(const struct stages *g, const struct scene *s, int step,
                struct canvas *c)
{
    struct gap p;

    gap_init(&p, g, s, step, c);
    draw_lines(&p);
    for (int i = 0; i < p.rungs.count; i++)
        draw_rung(&p, &p.rungs.rungs[i]);
    draw_lost(&p);
}

/* Draws a block on its way: along the sender's line, the rung, and the
 * receiver's line. In a crowded step they would cover one another. */
static void
draw_flight(const struct gap *p, const struct flight *f)
{
    const struct stages *g = p->stages;
    const struct transfer *t = f->transfer;
    const struct stages_column *c = stages_column(g, p->step);
    const struct rung *rung = rungs_find(&p->rungs, t->src, t->dst);
    struct block block = {
        .world = p->scene->world,
        .row = world_row(p->scene->world, t->src, t->src_slot),
        .glyphs = p->scene->glyphs,
        .form = g->outlook->most[0].slots > 1 ? BLOCK_PAIR : BLOCK_LETTERS,
        .width = block_columns_pair(g->schedule),
        .changed = true};
    struct path path = {0};
    struct point at;

    if (rung == NULL || flight_landed(f) ||
        (p->crowded && !is_selected(p, rung)))
        return;
    block.faint = block.trace = scene_fades_transfer(p->scene, p->step, t);
    path_add(&path, c->gap_x + 1, stages_row(g, t->src));
    path_add(&path, c->rung_x + rung->column, stages_row(g, t->src));
    path_add(&path, c->rung_x + rung->column, stages_row(g, t->dst));
    path_add(&path, c->x - 2, stages_row(g, t->dst));
    at = path_at(&path, f->event != NULL ? f->progress : 0, block.width);
    block_draw(&block, p->canvas, at.x, at.y);
}

void
stages_flights_draw(const struct stages *g, const struct scene *s,
                    struct canvas *c)
{
    struct gap p;

    if (!stages_shows(g, s->step))
        return;
    gap_init(&p, g, s, s->step, c);
    for (size_t i = 0; i < s->nflights; i++)
        draw_flight(&p, &s->flights[i]);
}
