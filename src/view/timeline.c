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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/axis.h"
#include "draw/badge.h"
#include "draw/glyph.h"
#include "schedule/label.h"
#include "text/text.h"
#include "view/view.h"

enum { WIDTH_LEAST = 44, HEIGHT_LEAST = 8 };
enum { WAITED_COLUMNS = 18, PITCH_MOST = 3, HEAD_ROWS = 2, FOOT_ROWS = 2 };

struct timeline {
    const struct scene *scene;
    struct canvas *canvas;
    struct rect area; /* of the axis and its rows */
    struct axis axis;
    int step; /* the step shown */
    int label_width;
    int first, count; /* the ranks shown */
    int pitch;        /* rows from a rank to the next */
};

static const struct pen quiet = {.fg = ROLE_QUIET};
static const struct pen strong = {.fg = ROLE_CURRENT, .attrs = ATTR_BOLD};

static struct timeline
arrange(const struct scene *s, struct canvas *c, struct rect area)
{
    int n = s->world->schedule->nranks;
    struct timeline t = {
        .scene = s, .canvas = c, .area = area, .step = scene_step(s)};
    char name[SCENE_NAME_MAX];

    t.label_width = utf8_columns(scene_rank_name(n - 1, name)) + 2;
    t.area.x += t.label_width;
    t.area.width -= t.label_width + WAITED_COLUMNS;
    t.area.y += HEAD_ROWS;
    t.area.height -= HEAD_ROWS + FOOT_ROWS;
    t.pitch = t.area.height / n;
    t.pitch = t.pitch < 1 ? 1 : t.pitch > PITCH_MOST ? PITCH_MOST : t.pitch;
    t.count = n * t.pitch <= t.area.height ? n : t.area.height;
    t.first = s->selected - t.count / 2;
    if (t.first > n - t.count)
        t.first = n - t.count;
    if (t.first < 0)
        t.first = 0;
    t.axis = axis_of(s->world, t.step, t.area.width);
    return t;
}

/* The row of a rank, or -1 if the rank is not shown. */
static int
row_of(const struct timeline *t, int rank)
{
    return rank >= t->first && rank < t->first + t->count
               ? t->area.y + (rank - t->first) * t->pitch
               : -1;
}

/* Draws a column of a rank's bar; the bar is one row less than the pitch. */
static void
put(const struct timeline *t, int rank, int column, uint32_t code,
    struct pen pen)
{
    int y = row_of(t, rank), height = t->pitch > 1 ? t->pitch - 1 : 1;

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

static uint32_t
mark_of(const struct event *e)
{
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
    columns = utf8_columns(label_rank(e->src, letters));
    for (int x = first; x <= last; x++)
        put(t, e->dst, x,
            last - first > columns && x - first < columns
                ? (unsigned char)letters[x - first]
                : mark_of(e),
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

/* Sets *column to the moment when the last rank finished the step. Returns
 * false if it is not on the page. */
static bool
cursor_column(const struct timeline *t, int *column)
{
    const struct axis *a = &t->axis;
    const struct world_step *s = &t->scene->world->steps[t->step];

    for (int i = 0; i < a->nspans && t->step > 0 && s->count > 0; i++)
        if (t->step >= a->spans[i].first && t->step <= a->spans[i].last) {
            *column = axis_column(&a->spans[i], s->end_ns);
            return true;
        }
    return false;
}

/* The cursor is drawn only over cells where a rank is idle or waits. */
static void
draw_cursor(const struct timeline *t)
{
    enum glyph_set set = t->scene->glyphs;
    int column, x, bottom = t->area.y + t->count * t->pitch;

    if (!cursor_column(t, &column))
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

/* Draws the number of the step shown, with an arrowhead above the cursor. Sets
 * used[0] and used[1] to the columns that it takes; both are 0 if there is no
 * cursor. */
static void
draw_current_step(const struct timeline *t, int used[2])
{
    char text[16];

    used[0] = used[1] = 0;
    if (!cursor_column(t, &used[1]))
        return;
    used[0] = used[1] - snprintf(text, sizeof text, "%d", t->step);
    used[0] = used[0] < 0 ? 0 : used[0];
    canvas_puts(t->canvas, t->area.x + used[0], t->area.y - 1, text, strong);
    canvas_put(t->canvas, t->area.x + used[0] + (int)strlen(text),
               t->area.y - 1, glyph(t->scene->glyphs, GLYPH_DOWN), strong);
}

/* Draws the number of each step; it ends above the moment when the step was
 * finished. Leaves out numbers for which there is no room. */
static void
draw_steps(const struct timeline *t)
{
    const struct axis *a = &t->axis;
    const struct world *w = t->scene->world;
    int used[2];
    char text[16];

    draw_current_step(t, used);
    for (int i = 0, free_from = 0; i < a->nspans; i++)
        for (int step = a->spans[i].first; step <= a->spans[i].last; step++) {
            int width = snprintf(text, sizeof text, "%d", step);
            int x =
                axis_column(&a->spans[i], w->steps[step].end_ns) - (width - 1);
            if (w->steps[step].count == 0 || x < free_from || step == t->step ||
                (x + width >= used[0] && x <= used[1] + 1))
                continue;
            canvas_puts(t->canvas, t->area.x + x, t->area.y - 1, text, quiet);
            free_from = x + width + 1;
        }
}

/* Draws the duration of each span below it. */
static void
draw_durations(const struct timeline *t, int y)
{
    const struct axis *a = &t->axis;
    struct buf text = {0};

    for (int i = 0; i < a->nspans; i++) {
        const struct span *span = &a->spans[i];
        struct pen pen =
            t->step >= span->first && t->step <= span->last ? strong : quiet;
        buf_clear(&text);
        text_ns(span->end_ns - span->begin_ns, span->width < 8, &text);
        if (utf8_columns(buf_text(&text)) <= span->width)
            canvas_puts(t->canvas, t->area.x + span->x, y, buf_text(&text),
                        pen);
    }
    buf_done(&text);
}

/* Rounds `ns` up to 1, 2 or 5 times a power of ten. */
static int64_t
round_time(int64_t ns)
{
    int64_t unit = 1;

    while (10 * unit < ns)
        unit *= 10;
    return ns <= unit       ? unit
           : ns <= 2 * unit ? 2 * unit
           : ns <= 5 * unit ? 5 * unit
                            : 10 * unit;
}

/* Draws a ruler that starts at the beginning of the span. */
static void
draw_ruler(const struct timeline *t, const struct span *span, int y)
{
    enum { TICK_COLUMNS = 12 };
    int64_t length = span->end_ns - span->begin_ns + 1;
    int64_t tick = round_time(length * TICK_COLUMNS / span->width + 1);
    struct buf text = {0};

    for (int64_t ns = 0; ns < length; ns += tick) {
        int x = axis_column(span, span->begin_ns + ns);
        buf_clear(&text);
        if (ns == 0)
            buf_putc(&text, '0');
        else
            text_ns(ns, true, &text);
        if (x + 1 + utf8_columns(buf_text(&text)) > t->area.width)
            break;
        canvas_put(t->canvas, t->area.x + x, y,
                   glyph(t->scene->glyphs, GLYPH_VERTICAL), quiet);
        canvas_puts(t->canvas, t->area.x + x + 1, y, buf_text(&text), quiet);
    }
    buf_done(&text);
}

/* What the times are; if they are modelled, beside what was measured. */
static void
add_clock(const struct world *w, struct buf *out)
{
    struct buf time = {0}, here = {0};

    text_network(w, out);
    if (run_times(w->run) != TIMES_MODELLED)
        buf_puts(out, run_times(w->run) == TIMES_SIMULATED ? _("simulated")
                                                           : _("measured"));
    if (run_times(w->run) != TIMES_MODELLED || !w->has_result)
        return;
    text_ns(w->result.wall_ns, false, &time);
    text_ns(w->result.here_ns, false, &here);
    buf_addf(out, _(", %1$s; here %2$s"), buf_text(&time), buf_text(&here));
    buf_done(&time);
    buf_done(&here);
}

static void
draw_head(const struct timeline *t)
{
    const struct world *w = t->scene->world;
    int n = w->schedule->nranks, y = t->area.y - HEAD_ROWS;
    int x = t->area.x - t->label_width;
    struct buf text = {0};

    add_clock(w, &text);
    if (t->axis.nspans > 1)
        buf_puts(&text, _("; pauses are cut out, each part has its own scale"));
    canvas_puts(t->canvas, x, y, buf_text(&text), quiet);
    buf_clear(&text);
    if (t->count < n)
        buf_addf(&text, _("GPUs %d to %d of %d"), t->first,
                 t->first + t->count - 1, n);
    else
        buf_puts(&text, _("waited"));
    canvas_puts(t->canvas,
                t->area.x + t->area.width + WAITED_COLUMNS -
                    utf8_columns(buf_text(&text)),
                y, buf_text(&text), quiet);
    buf_done(&text);
}

static int
put_legend(const struct timeline *t, int x, uint32_t code, const char *meaning)
{
    int y = t->area.y + t->area.height + FOOT_ROWS - 1;

    canvas_put(t->canvas, x, y, code, (struct pen){.attrs = ATTR_BOLD});
    return x + 4 + canvas_puts(t->canvas, x + 2, y, meaning, quiet);
}

static void
draw_legend(const struct timeline *t)
{
    enum glyph_set set = t->scene->glyphs;
    int x = t->area.x - t->label_width;

    x = put_legend(t, x, '+', _("receives and adds"));
    x = put_legend(t, x, '=', _("receives"));
    x = put_legend(t, x, glyph(set, GLYPH_SENDS), _("sends"));
    x = put_legend(t, x, glyph(set, GLYPH_WAITS), _("waits"));
    put_legend(t, x, glyph(set, GLYPH_EMPTY), _("idle"));
}

static void
draw_labels(const struct timeline *t)
{
    char name[SCENE_NAME_MAX];

    for (int rank = t->first; rank < t->first + t->count; rank++)
        canvas_puts(t->canvas, t->area.x - t->label_width, row_of(t, rank),
                    scene_rank_name(rank, name),
                    rank == t->scene->selected
                        ? (struct pen){.attrs = ATTR_BOLD}
                        : quiet);
}

/* The transfer for which a rank waited longest in the step, or NULL. */
static const struct event *
longest_wait(const struct timeline *t, int rank)
{
    const struct world_step *s = &t->scene->world->steps[t->step];
    const struct event *longest = NULL;

    for (size_t i = 0; t->step > 0 && i < s->count; i++) {
        const struct event *e = &s->events[i];
        if (e->dst == rank && e->wait_ns > 0 &&
            (longest == NULL || e->wait_ns > longest->wait_ns))
            longest = e;
    }
    return longest;
}

static void
draw_waits(const struct timeline *t)
{
    struct buf text = {0}, time = {0};
    char name[SCENE_NAME_MAX];
    struct holdup holdup;
    bool held = holdup_of(t->scene, &holdup);

    for (int rank = t->first; rank < t->first + t->count; rank++) {
        const struct event *e = longest_wait(t, rank);
        struct point at = {t->area.x + t->area.width + 1, row_of(t, rank)};
        if (held && badge_draw(&holdup, rank, t->scene->glyphs, t->canvas, at,
                               WAITED_COLUMNS - 1) > 0)
            continue;
        if (e == NULL)
            continue;
        buf_clear(&text);
        buf_clear(&time);
        text_ns(e->wait_ns, false, &time);
        if (e->waited_for >= 0)
            buf_addf(&text, _("%1$s for %2$s"), buf_text(&time),
                     scene_rank_name(e->waited_for, name));
        else
            buf_puts(&text, buf_text(&time));
        canvas_puts_within(t->canvas, at.x, at.y, WAITED_COLUMNS - 1,
                           buf_text(&text), (struct pen){0});
    }
    buf_done(&text);
    buf_done(&time);
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct timeline t = arrange(s, c, area);
    int bottom = t.area.y + t.count * t.pitch;

    draw_head(&t);
    draw_legend(&t);
    draw_labels(&t);
    draw_idle(&t);
    for (int rank = t.first; rank < t.first + t.count; rank++)
        draw_rank(&t, rank);
    draw_cuts(&t);
    draw_cursor(&t);
    draw_steps(&t);
    if (t.axis.nspans > 1)
        draw_durations(&t, bottom);
    else if (t.axis.nspans == 1)
        draw_ruler(&t, &t.axis.spans[0], bottom);
    draw_waits(&t);
}

/* A rank's row reaches from its name to the right end. */
static int
rank_at(const struct scene *s, struct rect area, struct point at)
{
    struct timeline t = arrange(s, NULL, area);
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
