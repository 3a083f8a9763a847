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
 * step.
 *
 * A run in lockstep consists of short bursts, with pauses while the user looks
 * at the screen.  Pauses in which all ranks are idle are cut out.  They divide
 * the axis of time into spans; the width of a span is proportional to its
 * number of steps, and each span has its own scale.  A run without such pauses
 * is one span.  A run with too many steps for the width is divided into pages,
 * and the axis shows one page.  Space is reserved for future steps. */
#include <stdio.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/block.h"
#include "draw/plot.h"
#include "schedule/program.h"
#include "text/text.h"
#include "text/word.h"
#include "view/view.h"

enum {
    WIDTH_LEAST = 44,
    HEIGHT_LEAST = 8,
    PITCH_MOST = 5,
    WAITED = 18, /* columns at the right end of a row */
    HEAD = 2,    /* rows above the axis, and below it */
    FOOT = 2,
    TICK_COLUMNS = 12,
    STEP_COLUMNS = 4, /* at least, on the axis */
    SPANS_MOST = 64
};

struct span {
    int64_t begin_ns, end_ns;
    int x, width;    /* columns; x counts from the left end of the axis */
    int first, last; /* steps */
};

struct axis {
    int first, last; /* steps on the page */
    int nspans;
    struct span spans[SPANS_MOST];
};

struct timeline {
    const struct scene *scene;
    struct canvas *canvas;
    struct rect area; /* of the axis and its rows */
    struct axis axis;
    int step;         /* the step shown */
    int name_x;       /* the column where names begin */
    int first, count; /* the ranks shown */
    int pitch;        /* rows from a rank to the next */
    int end;          /* the row below the last rank */
};

/* The axis for the page that contains `step`.  All pages have the same number
 * of steps; otherwise the last might have only one.  Idle time longer than a
 * tenth of the busy time counts as a pause.  Every span but the last keeps its
 * last column free for the cut mark. */
static struct axis
axis_of(const struct world *w, int step, int width)
{
    int room = within(width / STEP_COLUMNS, 1, SPANS_MOST);
    int pages = (w->nsteps + room - 1) / room, steps;
    int length = pages > 0 ? (w->nsteps + pages - 1) / pages : 1;
    struct axis a = {.first = most(step - 1, 0) / length * length + 1};
    struct span *last = NULL;
    int64_t pause = 0, until = INT64_MIN;

    a.last = least(a.first + length - 1, w->nsteps);
    steps = a.last - a.first + 1;
    for (int i = a.first; i <= a.last; i++) { /* the busy time, for now */
        const struct world_step *s = &w->steps[i];
        int64_t begin = s->begin_ns > until ? s->begin_ns : until;
        if (s->count == 0 || s->end_ns <= begin)
            continue;
        pause += s->end_ns - begin;
        until = s->end_ns;
    }
    pause /= 10;
    for (int i = a.first; i <= a.last; i++) {
        const struct world_step *s = &w->steps[i];
        if (s->count == 0)
            continue;
        if (last == NULL || s->begin_ns - last->end_ns > pause) {
            last = &a.spans[a.nspans++];
            *last = (struct span){s->begin_ns, s->end_ns, .first = i};
        }
        last->last = i;
        if (s->begin_ns < last->begin_ns)
            last->begin_ns = s->begin_ns;
        if (s->end_ns > last->end_ns)
            last->end_ns = s->end_ns;
    }
    /* The divisions of avg are shown with the last step. */
    if (last != NULL && a.last == w->nsteps &&
        w->steps[a.last + 1].end_ns > last->end_ns)
        last->end_ns = w->steps[a.last + 1].end_ns;
    for (int i = 0; i < a.nspans; i++) {
        struct span *span = &a.spans[i];
        int end = width * (span->last - a.first + 1) / steps;
        span->x = width * (span->first - a.first) / steps;
        span->width = end - span->x - (span->last < a.last);
    }
    return a;
}

/* The column of a moment, at an end of the span if it is outside. */
static int
axis_column(const struct span *span, int64_t ns)
{
    int64_t until = ns < span->end_ns ? ns : span->end_ns;
    int64_t after = until > span->begin_ns ? until - span->begin_ns : 0;
    double part = (double)after / (double)(span->end_ns - span->begin_ns + 1);

    return span->x + least((int)(part * span->width), span->width - 1);
}

static int
bar_row(const struct timeline *t, int rank)
{
    return t->area.y + (rank - t->first) * t->pitch;
}

/* Draws columns of a rank's bar, which is one row less than the pitch. */
static void
fill_bar(const struct timeline *t, int rank, int first, int last, uint32_t code,
         struct pen pen)
{
    for (int i = 0; i < t->pitch - (t->pitch > 1); i++)
        canvas_fill(t->canvas, t->area.x + first, bar_row(t, rank) + i,
                    last - first + 1, code, pen);
}

/* Draws the time in which a rank waited for its data, or received it, with the
 * other rank's number if there is room for it.  A fault has its sign once it is
 * shown. */
static void
draw_bar(const struct timeline *t, const struct event *e, bool waits,
         bool is_done)
{
    int64_t begin_ns = e->begin_ns - (waits ? e->wait_ns : 0);
    int64_t end_ns = waits ? e->begin_ns : e->end_ns;
    int other = waits ? e->waited_for : e->src;
    enum role role =
        other < 0 || !(waits || is_done) ? ROLE_QUIET : palette_origin(other);
    enum glyph sign = !waits ? GLYPH_FULL
                      : is_done ? GLYPH_WAITS
                                : GLYPH_WILL_WAIT;
    uint32_t code = glyph(t->canvas->glyphs, sign);
    struct pen pen = {.fg = role}, name_pen = strong;
    int digits = 0, first, last;
    char name[16] = "";

    if (waits && !is_done)
        name_pen = quiet;
    if (!waits && is_done)
        name_pen = (struct pen){.fg = palette_ink(role), .bg = role,
                                .attrs = ATTR_BOLD};
    if (!waits && is_done && e->fault != FAULT_NONE) {
        code = e->fault == FAULT_DROP ? glyph(t->canvas->glyphs, GLYPH_LOST)
                                      : '!';
        pen = name_pen = warning;
    }
    if (other >= 0 && other != e->dst)
        digits = snprintf(name, sizeof name, "%d", other);
    for (int i = 0; i < t->axis.nspans; i++) {
        const struct span *span = &t->axis.spans[i];
        if (end_ns < span->begin_ns || begin_ns > span->end_ns)
            continue;
        first = axis_column(span, begin_ns);
        last = axis_column(span, end_ns);
        fill_bar(t, e->dst, first, last, code, pen);
        if (!waits && pen.fg == role && last - first > 2) {
            /* bars of two steps stand apart */
            fill_bar(t, e->dst, last, last,
                     glyph(t->canvas->glyphs, GLYPH_EMPTY), quiet);
            fill_bar(t, e->dst, last - 1, last - 1,
                     glyph(t->canvas->glyphs, GLYPH_STRIPE), pen);
        }
        if (last - first >= digits)
            canvas_puts(t->canvas,
                        t->area.x + first + (last - first > digits),
                        bar_row(t, e->dst), name, name_pen);
    }
}

/* Draws what each rank received in the time of the page, waits first, and first
 * what is to come.  This includes steps of other pages, because ranks that run
 * freely are not all at the same step. */
static void
draw_rows(const struct timeline *t)
{
    const struct world *w = t->scene->world;
    const struct axis *a = &t->axis;

    for (int rank = t->first; rank < t->first + t->count; rank++) {
        const struct world_diary *diary = &w->diaries[rank];
        enum role role = palette_origin(rank);
        canvas_target(t->canvas,
                      (struct rect){t->name_x, bar_row(t, rank),
                                    t->area.x + t->area.width + WAITED -
                                        t->name_x, t->pitch},
                      TARGET_RANK, rank, -1);
        canvas_puts(t->canvas, t->name_x, bar_row(t, rank),
                    word_rank_name(w->schedule, rank).text,
                    (struct pen){.fg = palette_ink(role), .bg = role,
                                 .attrs = rank == t->scene->selected
                                              ? ATTR_BOLD | ATTR_UNDERLINE
                                              : 0});
        for (int i = 0; i < a->nspans; i++)
            fill_bar(t, rank, a->spans[i].x,
                     a->spans[i].x + a->spans[i].width - 1,
                     glyph(t->canvas->glyphs, GLYPH_EMPTY), quiet);
        for (int pass = 0; pass < 4 && a->nspans > 0; pass++)
            for (size_t i = 0; i < diary->count; i++) {
                struct world_entry entry = diary->entries[i];
                const struct event *e =
                    &w->steps[entry.step].events[entry.index];
                bool is_done = scene_step_of(t->scene, e) <= t->step;
                if (e->dst == rank && is_done == (pass % 2 > 0) &&
                    e->end_ns >= a->spans[0].begin_ns &&
                    e->begin_ns - e->wait_ns <=
                        a->spans[a->nspans - 1].end_ns &&
                    (pass >= 2 || e->wait_ns > 0))
                    draw_bar(t, e, pass < 2, is_done);
            }
    }
    for (int i = 1; i < a->nspans; i++)
        for (int y = t->area.y; y < t->end; y++)
            canvas_glyph(t->canvas, t->area.x + a->spans[i].x - 1, y, GLYPH_CUT,
                         quiet);
}

/* Draws the cursor at the moment when the last rank finished the step, only
 * over cells where a rank is idle or waits, and above it the number of the step
 * and an arrowhead, which take columns from...to. If the page has no cursor,
 * both are 0. */
static void
draw_cursor(const struct timeline *t, int *from, int *to)
{
    enum glyph_set set = t->canvas->glyphs;
    const struct world_step *s = &t->scene->world->steps[t->step];
    int width = snprintf(NULL, 0, "%d", t->step), i = 0;

    *from = *to = 0;
    while (i < t->axis.nspans && (t->step < t->axis.spans[i].first ||
                                  t->step > t->axis.spans[i].last))
        i++;
    if (i == t->axis.nspans || t->step == 0 || s->count == 0)
        return;
    *to = axis_column(&t->axis.spans[i], s->end_ns);
    *from = *to > width ? *to - width : 0;
    for (int y = t->area.y; y < t->end; y++) {
        const struct cell *cell = canvas_at(t->canvas, t->area.x + *to, y);
        if (cell != NULL &&
            (cell->code == ' ' || cell->code == glyph(set, GLYPH_EMPTY) ||
             cell->code == glyph(set, GLYPH_WAITS)))
            canvas_glyph(t->canvas, t->area.x + *to, y, GLYPH_VERTICAL,
                         bright);
    }
    canvas_putf(t->canvas, t->area.x + *from, t->area.y - 1, bright, "%d",
                t->step);
    canvas_glyph(t->canvas, t->area.x + *from + width, t->area.y - 1,
                 GLYPH_DOWN, bright);
}

/* Draws the number of each step; it ends above the moment when the step was
 * finished. Leaves out numbers for which there is no room. */
static void
draw_steps(const struct timeline *t)
{
    const struct axis *a = &t->axis;
    const struct world *w = t->scene->world;
    int from, to;

    draw_cursor(t, &from, &to);
    for (int i = 0, free_from = 0; i < a->nspans; i++)
        for (int step = a->spans[i].first; step <= a->spans[i].last; step++) {
            int width = snprintf(NULL, 0, "%d", step);
            int x =
                axis_column(&a->spans[i], w->steps[step].end_ns) - (width - 1);
            if (w->steps[step].count == 0 || x < free_from || step == t->step ||
                (x + width >= from && x <= to + 1))
                continue;
            canvas_putf(t->canvas, t->area.x + x, t->area.y - 1, quiet, "%d",
                        step);
            free_from = x + width + 1;
        }
}

/* Draws below the rows a ruler, from the beginning of the only span, or of the
 * run if its clock is a network's; or the duration of each of several. */
static void
draw_times(const struct timeline *t)
{
    const struct axis *a = &t->axis;
    const struct span *span = &a->spans[0];
    const struct world *w = t->scene->world;
    int64_t length = span->end_ns - span->begin_ns + 1, tick;
    int64_t zero = run_is_modelled(w->run) &&
                           w->steps[1].begin_ns < span->begin_ns
                       ? w->steps[1].begin_ns
                       : span->begin_ns;
    int64_t from = span->begin_ns - zero;

    if (a->nspans == 1) {
        tick = (int64_t)plot_round(
            (double)(length * TICK_COLUMNS / span->width + 1), true);
        from = (from + tick - 1) / tick * tick;
        for (int64_t ns = from; zero + ns <= span->end_ns; ns += tick) {
            int x = axis_column(span, zero + ns);
            struct word time = ns > 0 ? word_ns(ns, true) : (struct word){"0"};
            if (x + 1 + utf8_columns(time.text) > t->area.width)
                break;
            canvas_glyph(t->canvas, t->area.x + x, t->end, GLYPH_VERTICAL,
                         quiet);
            canvas_puts(t->canvas, t->area.x + x + 1, t->end, time.text, quiet);
        }
        return;
    }
    for (; span < a->spans + a->nspans; span++) {
        bool shown = t->step >= span->first && t->step <= span->last;
        struct word time =
            word_ns(span->end_ns - span->begin_ns, span->width < 8);
        if (utf8_columns(time.text) <= span->width)
            canvas_puts(t->canvas, t->area.x + span->x, t->end, time.text,
                        shown ? bright : quiet);
    }
}

/* Draws whether the times are measured or modelled, and which ranks are shown,
 * or what is at the right end of their rows. */
static void
draw_head(const struct timeline *t)
{
    const struct world *w = t->scene->world;
    int n = w->schedule->nranks, y = t->area.y - HEAD;
    int end = t->area.x + t->area.width + WAITED;
    OWN(buf) text = {0};

    if (t->count < n)
        buf_addf(&text, _("GPUs %d to %d of %d"), t->first,
                 t->first + t->count - 1, n);
    else if (t->step > 0)
        buf_addf(&text, _("waited in step %d"), t->step);
    end -= canvas_puts_before(t->canvas, end, y, buf_text(&text), quiet);
    buf_clear(&text);
    text_network(w, &text);
    if (!run_is_modelled(w->run))
        buf_puts(&text, _("measured"));
    else if (w->result.here_ns > 0)
        buf_addf(&text, _(", %1$s; here %2$s"),
                 word_ns(w->result.wall_ns, false).text,
                 word_ns(w->result.here_ns, false).text);
    if (t->axis.nspans > 1)
        buf_puts(&text, _("; pauses are cut out, each part has its own scale"));
    canvas_puts_within(t->canvas, t->name_x, y, end - t->name_x - 2,
                       buf_text(&text), quiet);
}

static void
draw_bar_legend(const struct timeline *t)
{
    static const struct {
        enum glyph sign;
        const char *number, *meaning;
    } legend[] = {{GLYPH_FULL, "1", N_("receives from GPU 1")},
                  {GLYPH_WAITS, "1", N_("waits for GPU 1")},
                  {GLYPH_WILL_WAIT, "", N_("later")},
                  {GLYPH_EMPTY, "", N_("idle")}};
    int bottom = t->area.y + t->area.height + FOOT - 1, x = t->name_x;
    int y = t->end + FOOT < bottom ? t->end + FOOT : bottom;

    for (size_t i = 0; i < sizeof legend / sizeof *legend; i++) {
        enum role role = legend[i].number[0] != '\0' ? palette_origin(1)
                                                     : ROLE_QUIET;
        canvas_glyph(t->canvas, x++, y, legend[i].sign,
                     (struct pen){.fg = role});
        x += canvas_puts(t->canvas, x, y, legend[i].number, bright) + 1;
        x += canvas_puts(t->canvas, x, y, _(legend[i].meaning), quiet) + 2;
    }
}

/* Draws, at the right end of each row, the rank's badge, or the longest wait in
 * the step. */
static void
draw_waits(const struct timeline *t)
{
    const struct world_step *s = &t->scene->world->steps[t->step];
    struct holdup holdup;
    const struct holdup *held =
        holdup_of(t->scene, &holdup) ? &holdup : NULL;

    for (int rank = t->first; rank < t->first + t->count; rank++) {
        struct point at = {t->area.x + t->area.width + 1, bar_row(t, rank)};
        const struct event *longest = NULL;
        if (badge_draw(held, rank, t->canvas, at, WAITED - 1) > 0)
            continue;
        for (size_t i = 0; t->step > 0 && i < s->count; i++)
            if (s->events[i].dst == rank &&
                (longest == NULL || s->events[i].wait_ns > longest->wait_ns))
                longest = &s->events[i];
        if (longest != NULL)
            canvas_puts_within(t->canvas, at.x, at.y, WAITED - 1,
                               word_wait(t->scene->world->schedule,
                                         longest).text, plain);
    }
}

static void
draw_timeline(const struct scene *s, struct canvas *c, struct rect area)
{
    int n = s->world->schedule->nranks;
    int name = word_rank_columns(s->world->schedule) + 2;
    struct timeline t = {
        .scene = s, .canvas = c, .step = scene_step(s), .name_x = area.x,
        .area = {area.x + name, area.y + HEAD, area.width - name - WAITED,
                 area.height - HEAD - FOOT}};

    t.pitch = within(t.area.height / n, 1, PITCH_MOST);
    t.count = n * t.pitch <= t.area.height ? n : t.area.height;
    t.first = within(s->selected - t.count / 2, 0, n - t.count);
    t.end = t.area.y + t.count * t.pitch;
    t.axis = axis_of(s->world, t.step, t.area.width);
    draw_head(&t);
    draw_bar_legend(&t);
    draw_rows(&t);
    draw_steps(&t);
    draw_times(&t);
    draw_waits(&t);
}

const struct view view_timeline = {
    .name = N_("timeline"),
    .least = {WIDTH_LEAST, HEIGHT_LEAST},
    .draw = draw_timeline,
    .symbols = (const struct symbol[]){
        {NULL, GLYPH_FULL,
         N_("receives; the number and the colour say from whom")},
        {NULL, GLYPH_WAITS, N_("waits, in the colour of the GPU it waits for")},
        {NULL, GLYPH_WILL_WAIT, N_("waits in a later step")},
        {NULL, GLYPH_EMPTY, N_("idle")},
        {NULL, GLYPH_CUT, N_("a pause that is cut out")},
        {NULL, GLYPH_DOWN, N_("when the last GPU finished the step")},
        {NULL, 0, NULL}},
    .still = true,
    .whole = true,
};
