/* SPDX-License-Identifier: MIT */
/* The timeline: one row for each rank, time from left to right.
 *
 *     measured                         waited in step 2
 *                  1      2▼           the ends of the steps
 *     GPU 0  ··2████·····│             receives from GPU 2
 *     GPU 1  ▒0▒▒▒▒0█████│ 2 us for GPU 0
 *            0      |5 us              a ruler, or the duration of each span
 *     █1 receives from GPU 1  ▒1 waits for GPU 1  ░ later  · idle
 *
 * The number and the colour are those of the other rank: the one whose data
 * comes, or the one that is waited for; the colours of names say the same.
 * Steps after the one shown are quiet.  The border is not straight if ranks run
 * freely; a vertical line marks the moment when the last one finished the
 * step. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/axis.h"
#include "draw/badge.h"
#include "draw/glyph.h"
#include "schedule/program.h"
#include "text/text.h"
#include "view/view.h"

enum {
    WIDTH_LEAST = 44,
    HEIGHT_LEAST = 8,
    PITCH_MOST = 3,
    WAITED = 18, /* columns at the right end of a row */
    HEAD = 2,    /* rows above the axis, and below it */
    FOOT = 2,
    TICK_COLUMNS = 12
};

struct timeline {
    const struct scene *scene;
    struct canvas *canvas;
    struct rect area; /* of the axis and its rows */
    struct axis axis;
    int step;         /* the step shown */
    int name_width;
    int first, count; /* the ranks shown */
    int pitch;        /* rows from a rank to the next */
};

static const struct pen quiet = {.fg = ROLE_QUIET};
static const struct pen strong = {.fg = ROLE_CURRENT, .attrs = ATTR_BOLD};
static const struct pen warning = {.fg = ROLE_WARNING, .attrs = ATTR_BOLD};

static struct timeline
arrange(const struct scene *s, struct canvas *c, struct rect area)
{
    int n = s->world->schedule->nranks;
    struct timeline t = {
        .scene = s, .canvas = c, .area = area, .step = scene_step(s)};
    char name[SCENE_NAME_MAX];

    t.name_width = utf8_columns(scene_rank_name(n - 1, name)) + 2;
    t.area.x += t.name_width;
    t.area.width -= t.name_width + WAITED;
    t.area.y += HEAD;
    t.area.height -= HEAD + FOOT;
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

static int
row_of(const struct timeline *t, int rank)
{
    return t->area.y + (rank - t->first) * t->pitch;
}

/* Draws columns of a rank's bar, which is one row less than the pitch. */
static void
fill(const struct timeline *t, int rank, int first, int last, uint32_t code,
     struct pen pen)
{
    int height = t->pitch > 1 ? t->pitch - 1 : 1;

    for (int i = 0; i < height; i++)
        canvas_fill(t->canvas, t->area.x + first, row_of(t, rank) + i,
                    last - first + 1, code, pen);
}

/* What a rank does for some time. */
struct bar {
    int64_t begin_ns, end_ns;
    uint32_t code;
    struct pen pen, name_pen;
    int other; /* the rank that it has to do with; -1: none */
};

/* Draws a bar with the other rank's number, if there is room for it. */
static void
draw_bar(const struct timeline *t, int rank, const struct bar *bar)
{
    char name[16] = "";
    int digits = 0, first, last;

    if (bar->other >= 0)
        digits = snprintf(name, sizeof name, "%d", bar->other);
    for (int i = 0; i < t->axis.nspans; i++) {
        if (!axis_columns(&t->axis.spans[i], bar->begin_ns, bar->end_ns,
                          &first, &last))
            continue;
        fill(t, rank, first, last, bar->code, bar->pen);
        if (last - first >= digits)
            canvas_puts(t->canvas,
                        t->area.x + first + (last - first > digits),
                        row_of(t, rank), name, bar->name_pen);
    }
}

static void
draw_waited(const struct timeline *t, const struct event *e, bool is_done)
{
    struct pen pen = {.fg = e->waited_for >= 0 ? palette_origin(e->waited_for)
                                               : ROLE_QUIET};
    struct bar bar = {
        .begin_ns = e->begin_ns - e->wait_ns,
        .end_ns = e->begin_ns,
        .code = glyph(t->scene->glyphs,
                      is_done ? GLYPH_WAITS : GLYPH_WILL_WAIT),
        .pen = pen,
        .name_pen = is_done ? (struct pen){.attrs = ATTR_BOLD} : quiet,
        .other = e->waited_for,
    };

    if (e->wait_ns > 0)
        draw_bar(t, e->dst, &bar);
}

/* A fault has its sign once it is shown. */
static void
draw_moved(const struct timeline *t, const struct event *e, bool is_done)
{
    enum role role = is_done ? palette_origin(e->src) : ROLE_QUIET;
    struct bar bar = {
        .begin_ns = e->begin_ns,
        .end_ns = e->end_ns,
        .code = glyph(t->scene->glyphs, GLYPH_FULL),
        .pen = {.fg = role},
        .name_pen = is_done ? (struct pen){.fg = palette_ink(role),
                                           .bg = role,
                                           .attrs = ATTR_BOLD}
                            : (struct pen){.attrs = ATTR_BOLD},
        .other = e->src != e->dst ? e->src : -1,
    };

    if (e->fault != FAULT_NONE && is_done) {
        bar.code = e->fault == FAULT_DROP ? glyph(t->scene->glyphs, GLYPH_LOST)
                                          : '!';
        bar.pen = bar.name_pen = warning;
    }
    draw_bar(t, e->dst, &bar);
}

/* Draws what a rank received in the time of the page.  This includes steps of
 * other pages, because ranks that run freely are not all at the same step. */
static void
draw_rank(const struct timeline *t, int rank)
{
    const struct world *w = t->scene->world;
    const struct world_diary *diary = &w->diaries[rank];
    const struct axis *a = &t->axis;

    for (int pass = 0; pass < 4 && a->nspans > 0; pass++)
        for (size_t i = 0; i < diary->count; i++) {
            const struct world_step *s = &w->steps[diary->entries[i].step];
            const struct event *e = &s->events[diary->entries[i].index];
            bool is_done = scene_step_of(t->scene, e) <= t->step;
            if (e->dst != rank || is_done != (pass % 2 > 0) ||
                e->end_ns < a->spans[0].begin_ns ||
                e->begin_ns - e->wait_ns > a->spans[a->nspans - 1].end_ns)
                continue;
            (pass < 2 ? draw_waited : draw_moved)(t, e, is_done);
        }
}

static void
draw_rows(const struct timeline *t)
{
    const struct axis *a = &t->axis;
    enum glyph_set set = t->scene->glyphs;

    for (int rank = t->first; rank < t->first + t->count; rank++) {
        enum role role = palette_origin(rank);
        char name[SCENE_NAME_MAX];
        canvas_puts(t->canvas, t->area.x - t->name_width, row_of(t, rank),
                    scene_rank_name(rank, name),
                    (struct pen){.fg = palette_ink(role), .bg = role,
                                 .attrs = rank == t->scene->selected
                                              ? ATTR_BOLD | ATTR_UNDERLINE
                                              : 0});
        for (int i = 0; i < a->nspans; i++)
            fill(t, rank, a->spans[i].x,
                 a->spans[i].x + a->spans[i].width - 1,
                 glyph(set, GLYPH_EMPTY), quiet);
        draw_rank(t, rank);
    }
    for (int i = 1; i < a->nspans; i++)
        for (int y = t->area.y; y < row_of(t, t->first + t->count); y++)
            canvas_put(t->canvas, t->area.x + a->spans[i].x - 1, y,
                       glyph(set, GLYPH_CUT), quiet);
}

/* Sets *column to the moment when the last rank finished the step. Returns
 * false if it is not on the page. */
static bool
find_cursor(const struct timeline *t, int *column)
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

/* Draws the cursor, only over cells where a rank is idle or waits, and above it
 * the number of the step and an arrowhead.  Sets used[0] and used[1] to the
 * columns that these take; both are 0 if there is no cursor. */
static void
draw_cursor(const struct timeline *t, int used[2])
{
    enum glyph_set set = t->scene->glyphs;
    char text[16];
    int width;

    used[0] = used[1] = 0;
    if (!find_cursor(t, &used[1]))
        return;
    for (int y = t->area.y; y < row_of(t, t->first + t->count); y++) {
        const struct cell *cell =
            canvas_at(t->canvas, t->area.x + used[1], y);
        if (cell != NULL &&
            (cell->code == ' ' || cell->code == glyph(set, GLYPH_EMPTY) ||
             cell->code == glyph(set, GLYPH_WAITS)))
            canvas_put(t->canvas, t->area.x + used[1], y,
                       glyph(set, GLYPH_VERTICAL), strong);
    }
    width = snprintf(text, sizeof text, "%d", t->step);
    used[0] = used[1] > width ? used[1] - width : 0;
    canvas_puts(t->canvas, t->area.x + used[0], t->area.y - 1, text, strong);
    canvas_put(t->canvas, t->area.x + used[0] + width, t->area.y - 1,
               glyph(set, GLYPH_DOWN), strong);
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

    draw_cursor(t, used);
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

/* Draws below the rows a ruler, which starts at the beginning of the only span;
 * or the duration of each of several. */
static void
draw_times(const struct timeline *t)
{
    const struct axis *a = &t->axis;
    const struct span *span = &a->spans[0];
    int64_t length = a->nspans == 1 ? span->end_ns - span->begin_ns + 1 : 0;
    int64_t tick = length > 0
                       ? round_time(length * TICK_COLUMNS / span->width + 1)
                       : 1;
    int y = row_of(t, t->first + t->count);
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
    for (; a->nspans > 1 && span < a->spans + a->nspans; span++) {
        buf_clear(&text);
        text_ns(span->end_ns - span->begin_ns, span->width < 8, &text);
        if (utf8_columns(buf_text(&text)) <= span->width)
            canvas_puts(t->canvas, t->area.x + span->x, y, buf_text(&text),
                        t->step >= span->first && t->step <= span->last
                            ? strong : quiet);
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
    int n = w->schedule->nranks, y = t->area.y - HEAD;
    int x = t->area.x - t->name_width;
    int end = t->area.x + t->area.width + WAITED;
    struct buf text = {0};

    if (t->count < n)
        buf_addf(&text, _("GPUs %d to %d of %d"), t->first,
                 t->first + t->count - 1, n);
    else if (t->step > 0)
        buf_addf(&text, _("waited in step %d"), t->step);
    end -= utf8_columns(buf_text(&text));
    canvas_puts(t->canvas, end, y, buf_text(&text), quiet);
    buf_clear(&text);
    add_clock(w, &text);
    if (t->axis.nspans > 1)
        buf_puts(&text, _("; pauses are cut out, each part has its own scale"));
    canvas_puts_within(t->canvas, x, y, end - x - 2, buf_text(&text), quiet);
    buf_done(&text);
}

static int
put_legend(const struct timeline *t, int x, enum glyph sign, int rank,
           const char *meaning)
{
    int below = row_of(t, t->first + t->count) + FOOT;
    int bottom = t->area.y + t->area.height + FOOT - 1;
    int y = below < bottom ? below : bottom, columns = 1;
    struct pen pen = {.fg = rank >= 0 ? palette_origin(rank) : ROLE_QUIET};
    char number[16];

    snprintf(number, sizeof number, "%d", rank);
    canvas_put(t->canvas, x, y, glyph(t->scene->glyphs, sign), pen);
    if (rank >= 0)
        columns += canvas_puts(t->canvas, x + 1, y, number, strong);
    columns += 1 + canvas_puts(t->canvas, x + columns + 1, y, meaning, quiet);
    return x + columns + 2;
}

static void
draw_legend(const struct timeline *t)
{
    int x = t->area.x - t->name_width;

    x = put_legend(t, x, GLYPH_FULL, 1, _("receives from GPU 1"));
    x = put_legend(t, x, GLYPH_WAITS, 1, _("waits for GPU 1"));
    x = put_legend(t, x, GLYPH_WILL_WAIT, -1, _("later"));
    put_legend(t, x, GLYPH_EMPTY, -1, _("idle"));
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
        if ((held && badge_draw(&holdup, rank, t->scene->glyphs, t->canvas, at,
                                WAITED - 1) > 0) ||
            e == NULL)
            continue;
        buf_clear(&text);
        buf_clear(&time);
        text_ns(e->wait_ns, false, &time);
        if (e->waited_for >= 0)
            buf_addf(&text, _("%1$s for %2$s"), buf_text(&time),
                     scene_rank_name(e->waited_for, name));
        else
            buf_puts(&text, buf_text(&time));
        canvas_puts_within(t->canvas, at.x, at.y, WAITED - 1,
                           buf_text(&text), (struct pen){0});
    }
    buf_done(&text);
    buf_done(&time);
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct timeline t = arrange(s, c, area);

    draw_head(&t);
    draw_legend(&t);
    draw_rows(&t);
    draw_steps(&t);
    draw_times(&t);
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
    {NULL, GLYPH_FULL,
     N_("receives; the number and the colour say from whom")},
    {NULL, GLYPH_WAITS, N_("waits, in the colour of the GPU it waits for")},
    {NULL, GLYPH_WILL_WAIT, N_("waits in a later step")},
    {NULL, GLYPH_EMPTY, N_("idle")},
    {NULL, GLYPH_CUT, N_("a pause that is cut out")},
    {NULL, GLYPH_DOWN, N_("when the last GPU finished the step")},
    {"!", 0, N_("something is wrong there")},
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
