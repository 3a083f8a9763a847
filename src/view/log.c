/* SPDX-License-Identifier: MIT */
/* The log: one line for each transfer, ordered by step, then by time.
 *
 *     step  phase                                     bytes    took  waited
 *        3  reduce-scatter  GPU 0 => GPU 1  + A1+C1     8 B  840 ns
 *
 * The lines of the step shown are bright, and the line of the selected rank
 * stays in the middle.  Lines of later steps are quiet.  If the run is held up,
 * the last lines say what is awaited. */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/badge.h"
#include "draw/glyph.h"
#include "schedule/program.h"
#include "text/sum_name.h"
#include "text/text.h"
#include "view/view.h"

enum {
    WIDTH_LEAST = 74,
    HEIGHT_LEAST = 6,
    DATA_MOST = 40, /* columns */
    BYTES = 9,
    TOOK = 9,
    WAITED = 18
};

struct log {
    const struct scene *scene;
    struct canvas *canvas;
    struct rect area; /* of the lines */
    int step;         /* the step shown */
    int step_width, phase_width, name_width, data_width;
    int bytes_x, took_x, waited_x; /* columns */
    struct holdup holdup;
    int held[HOLDUP_RANKS_MOST], nheld; /* the ranks that have a badge, those
                                         * that hold others up first */
};

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

static int
phases_width(const struct schedule *s)
{
    int width = utf8_columns(_("phase"));

    for (int i = 0; i < s->nsteps; i++)
        if (i == 0 || s->steps[i].phase != s->steps[i - 1].phase)
            width = larger(width,
                           utf8_columns(translated(s->steps[i].phase)));
    return width;
}

/* Leaves half of the lines to what has happened. */
static void
find_held(struct log *l)
{
    int n = l->scene->world->schedule->nranks, most = l->area.height / 2;

    if (!holdup_of(l->scene, &l->holdup))
        return;
    for (int pass = 0; pass < 2; pass++)
        for (int rank = 0; rank < n && l->nheld < most; rank++)
            if (l->holdup.ranks[rank].guilty == (pass == 0) &&
                holdup_has(&l->holdup, rank))
                l->held[l->nheld++] = rank;
    l->area.height -= l->nheld;
}

static struct log
arrange(const struct scene *s, struct canvas *c, struct rect area)
{
    const struct schedule *p = s->world->schedule;
    struct log l = {.scene = s, .canvas = c, .step = scene_step(s)};
    char name[SCENE_NAME_MAX];
    int fixed;

    l.area = (struct rect){area.x, area.y + 1, area.width, area.height - 1};
    l.step_width =
        larger(snprintf(NULL, 0, "%d", p->nsteps) + 2, utf8_columns(_("step")));
    l.phase_width = phases_width(p);
    l.name_width = utf8_columns(scene_rank_name(p->nranks - 1, name));
    fixed = l.step_width + 2 + l.phase_width + 2 + 2 * l.name_width + 4 + 2 +
            2 + BYTES + TOOK + 1 + WAITED;
    l.data_width = area.width - fixed;
    if (l.data_width < 8) { /* the line of progress names the phase, too */
        l.data_width += l.phase_width + 2;
        l.phase_width = -2;
    }
    if (l.data_width > DATA_MOST)
        l.data_width = DATA_MOST;
    l.bytes_x = l.step_width + 2 + l.phase_width + 2 + 2 * l.name_width + 4 +
                2 + 2 + l.data_width;
    l.took_x = l.bytes_x + BYTES;
    l.waited_x = l.took_x + TOOK + 1;
    find_held(&l);
    return l;
}

static int
by_time(const void *a, const void *b)
{
    const struct event *x = *(const struct event *const *)a;
    const struct event *y = *(const struct event *const *)b;

    if (x->begin_ns != y->begin_ns)
        return x->begin_ns < y->begin_ns ? -1 : 1;
    return x->dst - y->dst;
}

/* The events of a step, ordered by time. The caller frees the array; the events
 * belong to the world. */
static const struct event **
sorted(const struct world_step *s)
{
    const struct event **events = mem_new(s->count, sizeof *events);

    for (size_t i = 0; i < s->count; i++)
        events[i] = &s->events[i];
    qsort(events, s->count, sizeof *events, by_time);
    return events;
}

/* The line, counted from 0, that stays in the middle: in the step shown, the
 * first transfer that the selected rank sent, else the last that it received,
 * else the first of all. */
static size_t
middle_line(const struct log *l)
{
    const struct world *w = l->scene->world;
    const struct event **events;
    size_t line = 0, found = 0;
    bool sends = false;

    for (int step = 1; step < l->step; step++)
        line += w->steps[step].count;
    if (l->step == 0)
        return 0;
    events = sorted(&w->steps[l->step]);
    for (size_t i = 0; i < w->steps[l->step].count && !sends; i++) {
        sends = events[i]->src == l->scene->selected;
        if (sends || events[i]->dst == l->scene->selected)
            found = i;
    }
    free(events);
    return line + found;
}

static size_t
all_lines(const struct world *w)
{
    size_t lines = 0;

    for (int step = 1; step <= w->nsteps + 1; step++)
        lines += w->steps[step].count;
    return lines;
}

/* How many lines of events are on the screen. */
static int
count_lines(const struct log *l)
{
    size_t lines = all_lines(l->scene->world);
    int height = l->area.height;

    return lines < (size_t)height ? (int)lines : height;
}

/* The first line on the screen, of those of all events. */
static size_t
first_line(const struct log *l)
{
    size_t height = (size_t)l->area.height, all = all_lines(l->scene->world);
    size_t line = middle_line(l);
    size_t first = line > height / 2 ? line - height / 2 : 0;

    if (first + height > all)
        first = all > height ? all - height : 0;
    return first;
}

/* Sets *found to the event of a line. Returns false if there is none. */
static bool
find_event(const struct world *w, size_t line, struct event *found)
{
    for (int step = 1; step <= w->nsteps + 1; step++) {
        size_t count = w->steps[step].count;
        if (line < count) {
            const struct event **events = sorted(&w->steps[step]);
            *found = *events[line];
            free(events);
            return true;
        }
        line -= count;
    }
    return false;
}

static void
put_right(const struct log *l, int x, int width, int y, const char *text,
          struct pen pen)
{
    int spare = width - utf8_columns(text);

    canvas_puts_within(l->canvas, l->area.x + x + (spare > 0 ? spare : 0), y,
                       width, text, pen);
}

static void
draw_head(const struct log *l)
{
    const struct pen quiet = {.fg = ROLE_QUIET};
    int y = l->area.y - 1, x = l->step_width + 2;

    put_right(l, 0, l->step_width, y, _("step"), quiet);
    if (l->phase_width > 0)
        canvas_puts(l->canvas, l->area.x + x, y, _("phase"), quiet);
    put_right(l, l->bytes_x, BYTES, y, _("bytes"), quiet);
    put_right(l, l->took_x, TOOK, y, _("took"), quiet);
    canvas_puts(l->canvas, l->area.x + l->waited_x, y, _("waited"), quiet);
}

/* Draws the data sent, in the columns available. */
static void
draw_data(const struct log *l, const struct event *e, int x, int y,
          struct pen pen)
{
    const struct world *w = l->scene->world;
    int step = scene_step_of(l->scene, e);
    int before = e->op == EVENT_DIVIDE ? step : step - 1;
    const uint64_t *row = world_row_at(w, e->src, e->src_slot, before);
    struct buf text = {0};

    sum_name(w, row, scene_names_sums(l->scene, step), &text);
    if (e->nslots > 1)
        buf_addf(&text, " ... x%d", e->nslots);
    canvas_puts_within(l->canvas, l->area.x + x, y, l->data_width,
                       buf_text(&text), pen);
    buf_done(&text);
}

static void
draw_figures(const struct log *l, const struct event *e, int y, struct pen pen)
{
    struct buf text = {0}, time = {0};
    char name[SCENE_NAME_MAX];

    text_bytes(e->bytes, &text);
    put_right(l, l->bytes_x, BYTES, y, buf_text(&text), pen);
    buf_clear(&text);
    text_ns(e->end_ns - e->begin_ns, false, &text);
    put_right(l, l->took_x, TOOK, y, buf_text(&text), pen);
    buf_clear(&text);
    if (e->wait_ns > 0) {
        text_ns(e->wait_ns, false, &time);
        if (e->waited_for >= 0)
            buf_addf(&text, _("%1$s for %2$s"), buf_text(&time),
                     scene_rank_name(e->waited_for, name));
        else
            buf_puts(&text, buf_text(&time));
    }
    canvas_puts_within(l->canvas, l->area.x + l->waited_x, y, WAITED,
                       buf_text(&text), pen);
    buf_done(&text);
    buf_done(&time);
}

/* In the step shown, a rank's colour is the ground of its name, because yellow
 * text cannot be read on a light screen. */
static struct pen
pen_of_rank(const struct log *l, int step, int rank)
{
    enum role role = palette_origin(rank);

    if (step != l->step)
        return (struct pen){.fg = step > l->step ? ROLE_QUIET : ROLE_TEXT};
    return (struct pen){.fg = palette_ink(role),
                        .bg = role,
                        .attrs = rank == l->scene->selected ? ATTR_BOLD : 0};
}

static struct pen
pen_of_step(const struct log *l, int step)
{
    return (struct pen){.fg = step > l->step ? ROLE_QUIET : ROLE_TEXT,
                        .attrs = step == l->step ? ATTR_BOLD : 0};
}

/* Draws the step, its phase, and the sender and the receiver if they are not
 * the same. Returns the column after them. */
static int
draw_ranks(const struct log *l, int step, int src, int dst, int y)
{
    const struct schedule *s = l->scene->world->schedule;
    int x = l->step_width + 2;
    struct pen pen = pen_of_step(l, step);
    const char *phase = translated(s->steps[step - 1].phase);
    char text[SCENE_NAME_MAX];

    if (step == l->step)
        canvas_put(l->canvas, l->area.x, y,
                   glyph(l->scene->glyphs, GLYPH_RIGHT), pen);
    snprintf(text, sizeof text, "%d", step);
    put_right(l, 0, l->step_width, y, text, pen);
    if (l->phase_width > 0)
        canvas_puts(l->canvas, l->area.x + x, y, phase, pen);
    x += l->phase_width + 2;
    put_right(l, x, l->name_width, y, scene_rank_name(src, text),
              pen_of_rank(l, step, src));
    x += l->name_width;
    if (src != dst) {
        canvas_puts(l->canvas, l->area.x + x, y,
                    run_leaves_host(l->scene->world->run, src, dst)
                        ? " ~> " : " => ", pen);
        canvas_puts(l->canvas, l->area.x + x + 4, y,
                    scene_rank_name(dst, text), pen_of_rank(l, step, dst));
    }
    return x + 4 + l->name_width + 2;
}

static void
draw_line(const struct log *l, const struct event *e, int y)
{
    int step = scene_step_of(l->scene, e);
    struct pen pen = pen_of_step(l, step);
    int x = draw_ranks(l, step, e->src, e->dst, y);

    canvas_put(l->canvas, l->area.x + x, y,
               e->fault == FAULT_DROP
                   ? glyph(l->scene->glyphs, GLYPH_LOST)
               : e->fault != FAULT_NONE ? '!'
               : e->op == EVENT_REDUCE ? '+'
               : e->op == EVENT_DIVIDE ? '/'
                                       : '=',
               e->fault != FAULT_NONE
                   ? (struct pen){.fg = ROLE_WARNING, .attrs = ATTR_BOLD}
                   : pen);
    draw_data(l, e, x + 2, y, pen);
    draw_figures(l, e, y, pen);
}

/* Draws lines first .. first + height - 1. */
static void
draw_lines(const struct log *l, size_t first, size_t height)
{
    const struct world *w = l->scene->world;
    size_t line = 0;

    for (int step = 1; step <= w->nsteps + 1 && line < first + height; step++) {
        size_t count = w->steps[step].count;
        if (line + count > first && count > 0) {
            const struct event **events = sorted(&w->steps[step]);
            for (size_t i = line < first ? first - line : 0;
                 i < count && line + i < first + height; i++)
                draw_line(l, events[i], l->area.y + (int)(line + i - first));
            free(events);
        }
        line += count;
    }
}

/* Draws what is awaited, below the last line: for each rank that is held up the
 * transfer that it lacks, if it lacks one, and its badge. */
static void
draw_held(const struct log *l)
{
    int y = l->area.y + count_lines(l);

    for (int i = 0; i < l->nheld; i++, y++) {
        int rank = l->held[i];
        const struct held_rank *held = &l->holdup.ranks[rank];
        if (held->step > 0)
            draw_ranks(l, held->step, held->src, rank, y);
        else
            draw_ranks(l, l->scene->world->position + 1, rank, rank, y);
        badge_draw(&l->holdup, rank, l->scene->glyphs, l->canvas,
                   (struct point){l->area.x + l->waited_x, y}, WAITED);
    }
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct log l = arrange(s, c, area);

    draw_head(&l);
    draw_lines(&l, first_line(&l), (size_t)l.area.height);
    draw_held(&l);
}

/* The ranks that a row names; awaited -1: none. Returns false if the row is
 * empty. */
struct named {
    int src, dst, awaited;
};
static bool
find_named(const struct log *l, int row, struct named *found)
{
    int held = row - count_lines(l);
    struct event e;

    if (held >= 0 && held < l->nheld) {
        int rank = l->held[held];
        const struct held_rank *h = &l->holdup.ranks[rank];
        *found = (struct named){h->step > 0 ? h->src : rank, rank,
                                h->waits_for};
        return true;
    }
    if (row < 0 || held >= 0 ||
        !find_event(l->scene->world, first_line(l) + (size_t)row, &e))
        return false;
    *found = (struct named){e.src, e.dst, e.waited_for};
    return true;
}

/* The rank whose name is nearest: the one waited for, the receiver, else the
 * sender. */
static int
rank_at(const struct scene *s, struct rect area, struct point at)
{
    struct log l = arrange(s, NULL, area);
    int x = at.x - l.area.x;
    int receiver = l.step_width + 2 + l.phase_width + 2 + l.name_width + 4;
    struct named named;

    if (!find_named(&l, at.y - l.area.y, &named))
        return -1;
    if (x >= l.waited_x && named.awaited >= 0)
        return named.awaited;
    return x >= receiver && x < receiver + l.name_width ? named.dst
                                                        : named.src;
}

static bool
suits(const struct scene *s, struct rect area)
{
    return s->world->nsteps > 0 && area.width >= WIDTH_LEAST &&
           area.height >= HEIGHT_LEAST;
}

static const struct symbol symbols[] = {
    {"A1", 0, N_("chunk 1 of GPU 0's data (B: GPU 1, C: GPU 2, ...)")},
    {"S1", 0, N_("chunk 1 complete: the sum over all GPUs")},
    {"=> ~>", 0, N_("from sender to receiver; to another host")},
    {"+", 0, N_("the receiver added it to its slot")},
    {"=", 0, N_("the receiver stored it in its slot")},
    {"/", 0, N_("divided by the number of GPUs")},
    {"*", 0, N_("a contribution that is in a sum several times")},
    {NULL, GLYPH_RIGHT, N_("the step that is shown")},
    {"!", 0, N_("a fault that was injected on purpose")},
    {NULL, 0, NULL},
};

const struct view view_log = {
    .name = N_("log"),
    .suits = suits,
    .draw = draw,
    .rank_at = rank_at,
    .symbols = symbols,
    .moves = false,
};
