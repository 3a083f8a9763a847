/* SPDX-License-Identifier: MIT */
/* The timeline: one row for each rank, time from left to right.
 *
 *     GPU 0  ··A+++A=···   A+ A=  receives A's data and adds it, stores it
 *     GPU 1  ▒▒▒▒▒▒▒B+++   ▒      waits, in the colour of the rank it waits for
 *     GPU 2  ›››·····›››   ›      another rank reads its data
 *     GPU 3  ░░░░░░░C+++   ░      waits in a later step
 *
 * Transfers up to the step shown have the sender's colour as ground, later ones
 * are quiet.  The border between them is not straight if ranks run freely.  A
 * vertical line marks the moment when the last rank finished the step.  The
 * right end of a row shows how long the rank waited in that step, and for which
 * rank. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"
#include "schedule/label.h"
#include "schedule/program.h"
#include "view/timeline_heads.h"
#include "view/view.h"

enum { WIDTH_LEAST = 44, HEIGHT_LEAST = 8 };

static const struct pen quiet = {.fg = ROLE_QUIET};
static const struct pen strong = {.fg = ROLE_CURRENT, .attrs = ATTR_BOLD};

/* Draws a column of a rank's bar; the bar is one row less than the pitch. */
static void
put(const struct timeline *t, int rank, int column, uint32_t code,
    struct pen pen)
{
    int y = timeline_row(t, rank), height = t->pitch > 1 ? t->pitch - 1 : 1;

    for (int i = 0; i < height; i++)
        canvas_put(t->canvas, t->area.x + column, y + i, code, pen);
}

/* Drawn in this order; a later layer covers the earlier ones. */
enum layer { LAYER_SENT, LAYER_WAITED, LAYER_AHEAD, LAYER_DONE, LAYERS };

/* Whether the event belongs to the step shown or an earlier one. */
static bool
is_done(const struct timeline *t, const struct event *e)
{
    return scene_step_of(t->scene, e) <= t->step;
}

/* Draws on the sender's row the time during which its data is read. */
static void
draw_sent(const struct timeline *t, const struct event *e,
          const struct span *span)
{
    const struct pen pen = {.fg = is_done(t, e) ? ROLE_TEXT : ROLE_QUIET};
    int first, last;

    if (!axis_columns(span, e->begin_ns, e->end_ns, &first, &last))
        return;
    for (int x = first; x <= last; x++)
        put(t, e->src, x, glyph(t->scene->glyphs, GLYPH_SENDS), pen);
}

static void
draw_waited(const struct timeline *t, const struct event *e,
            const struct span *span)
{
    struct pen pen = {.fg = e->waited_for >= 0 ? palette_origin(e->waited_for)
                                               : ROLE_QUIET};
    int first, last;

    if (e->wait_ns == 0 || !axis_columns(span, e->begin_ns - e->wait_ns,
                                         e->begin_ns, &first, &last))
        return;
    for (int x = first; x <= last; x++)
        put(t, e->dst, x,
            glyph(t->scene->glyphs,
                  is_done(t, e) ? GLYPH_WAITS : GLYPH_WILL_WAIT),
            pen);
}

/* A fault has its sign once it is shown. */
static uint32_t
mark_of(const struct timeline *t, const struct event *e)
{
    if (e->fault != FAULT_NONE && is_done(t, e))
        return e->fault == FAULT_DROP ? glyph(t->scene->glyphs, GLYPH_LOST)
                                      : '!';
    return e->op == EVENT_REDUCE ? '+' : e->op == EVENT_DIVIDE ? '/' : '=';
}

/* Draws on the receiver's row the sender's letter, if there is room for it, and
 * the mark of the operation. */
static void
draw_moved(const struct timeline *t, const struct event *e,
           const struct span *span)
{
    enum role role = palette_origin(e->src);
    struct pen pen = is_done(t, e) ? (struct pen){.fg = palette_ink(role),
                                                  .bg = role,
                                                  .attrs = ATTR_BOLD}
                                   : quiet;
    char letters[LABEL_RANK_MAX];
    int first, last, columns;

    if (!axis_columns(span, e->begin_ns, e->end_ns, &first, &last))
        return;
    if (palette_pattern(e->src) % 2)
        pen.attrs |= ATTR_UNDERLINE;
    if (e->fault != FAULT_NONE && is_done(t, e))
        pen = (struct pen){.fg = ROLE_WARNING, .attrs = ATTR_BOLD};
    columns = utf8_columns(label_rank(e->src, letters));
    for (int x = first; x <= last; x++)
        put(t, e->dst, x,
            last - first > columns && x - first < columns
                ? (unsigned char)letters[x - first]
                : mark_of(t, e),
            pen);
}

static void
draw_event(const struct timeline *t, const struct event *e, int rank,
           enum layer layer, const struct span *span)
{
    if (layer == LAYER_SENT && e->src == rank && e->src != e->dst)
        draw_sent(t, e, span);
    if (layer == LAYER_WAITED && e->dst == rank)
        draw_waited(t, e, span);
    if (layer == (is_done(t, e) ? LAYER_DONE : LAYER_AHEAD) && e->dst == rank)
        draw_moved(t, e, span);
}

/* The rank's events in the time span of the page. This includes steps of other
 * pages, because ranks that run freely are not all at the same step. The caller
 * frees the array. */
static const struct event **
events_of(const struct timeline *t, int rank, size_t *count)
{
    const struct world *w = t->scene->world;
    const struct world_diary *diary = &w->diaries[rank];
    const struct axis *a = &t->axis;
    const struct event **events = mem_new(diary->count, sizeof *events);
    int64_t from = a->nspans > 0 ? a->spans[0].begin_ns : 0;
    int64_t to = a->nspans > 0 ? a->spans[a->nspans - 1].end_ns : 0;

    *count = 0;
    for (size_t i = 0; i < diary->count && a->nspans > 0; i++) {
        const struct world_step *s = &w->steps[diary->entries[i].step];
        const struct event *e = &s->events[diary->entries[i].index];
        if (s->end_ns >= from && s->begin_ns <= to && e->end_ns >= from &&
            e->begin_ns - e->wait_ns <= to)
            events[(*count)++] = e;
    }
    return events;
}

static bool
overlap(const struct event *e, const struct span *span)
{
    return e->end_ns >= span->begin_ns &&
           e->begin_ns - e->wait_ns <= span->end_ns;
}

static void
draw_rank(const struct timeline *t, int rank)
{
    size_t count;
    const struct event **events = events_of(t, rank, &count);

    for (int layer = 0; layer < LAYERS; layer++)
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < t->axis.nspans; k++)
                if (overlap(events[i], &t->axis.spans[k]))
                    draw_event(t, events[i], rank, layer, &t->axis.spans[k]);
    free(events);
}

static void
draw_idle(const struct timeline *t)
{
    const struct axis *a = &t->axis;

    for (int rank = t->first; rank < t->first + t->count; rank++)
        for (int i = 0; i < a->nspans; i++)
            for (int x = 0; x < a->spans[i].width; x++)
                put(t, rank, a->spans[i].x + x,
                    glyph(t->scene->glyphs, GLYPH_EMPTY), quiet);
}

/* The cursor is drawn only over cells where a rank is idle or waits. */
static void
draw_cursor(const struct timeline *t)
{
    enum glyph_set set = t->scene->glyphs;
    int column, x, bottom = t->area.y + t->count * t->pitch;

    if (!timeline_cursor(t, &column))
        return;
    x = t->area.x + column;
    for (int y = t->area.y; y < bottom; y++) {
        const struct cell *cell = canvas_at(t->canvas, x, y);
        if (cell != NULL &&
            (cell->code == ' ' || cell->code == glyph(set, GLYPH_EMPTY) ||
             cell->code == glyph(set, GLYPH_WAITS)))
            canvas_put(t->canvas, x, y, glyph(set, GLYPH_VERTICAL), strong);
    }
}

static void
draw_cuts(const struct timeline *t)
{
    const struct axis *a = &t->axis;

    for (int i = 0; i + 1 < a->nspans; i++)
        for (int y = t->area.y; y < t->area.y + t->count * t->pitch; y++)
            canvas_put(t->canvas, t->area.x + a->spans[i + 1].x - 1, y,
                       glyph(t->scene->glyphs, GLYPH_CUT), quiet);
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct timeline t = timeline_arrange(s, c, area);

    draw_idle(&t);
    for (int rank = t.first; rank < t.first + t.count; rank++)
        draw_rank(&t, rank);
    draw_cuts(&t);
    draw_cursor(&t);
    timeline_heads_draw(&t);
}

/* A rank's row reaches from its name to the right end. */
static int
rank_at(const struct scene *s, struct rect area, struct point at)
{
    struct timeline t = timeline_arrange(s, NULL, area);
    int row = at.y - t.area.y;

    return row >= 0 && row < t.count * t.pitch ? t.first + row / t.pitch : -1;
}

static bool
suits(const struct scene *s, struct rect area)
{
    return s->world->nsteps > 0 && area.width >= WIDTH_LEAST &&
           area.height >= HEIGHT_LEAST;
}

static const struct symbol symbols[] = {
    {"B+++", 0, N_("receives from GPU 1, in its colour, and adds")},
    {"B===", 0, N_("receives and stores")},
    {"/", 0, N_("divided by the number of GPUs")},
    {"!", 0, N_("something is wrong there")},
    {"*", 0, N_("a contribution that is in a sum several times")},
    {NULL, GLYPH_SENDS, N_("sends: another GPU reads its data")},
    {NULL, GLYPH_WAITS, N_("waits, in the colour of the GPU it waits for")},
    {NULL, GLYPH_WILL_WAIT, N_("waits in a later step")},
    {NULL, GLYPH_EMPTY, N_("idle")},
    {NULL, GLYPH_CUT, N_("a pause that is cut out")},
    {NULL, GLYPH_DOWN, N_("when the last GPU finished the step")},
    {NULL, 0, NULL},
};

const struct view view_timeline = {
    .name = N_("timeline"),
    .suits = suits,
    .draw = draw,
    .rank_at = rank_at,
    .symbols = symbols,
    .moves = false,
};
