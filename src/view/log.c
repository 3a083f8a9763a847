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

#include "base/bounds.h"
#include "base/mem.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/badge.h"
#include "draw/glyph.h"
#include "schedule/program.h"
#include "text/sum.h"
#include "text/word.h"
#include "view/view.h"

enum {
    WIDTH_LEAST = 74,
    HEIGHT_LEAST = 6,
    DATA_LEAST = 8, /* columns */
    DATA_MOST = 40,
    BYTES = 9,
    TOOK = 9,
    WAITED = 18
};

/* A transfer, or what a rank that is held up lacks. */
struct line {
    const struct event *event; /* NULL: the rank `dst` is held up */
    int step, src, dst;
    int awaited; /* the rank that is waited for; -1: none */
};

struct log {
    const struct scene *scene;
    struct rect area; /* of the lines */
    int step;         /* the step shown */
    /* Columns: where the parts of a line begin; before bytes, took and waited
     * those end that are to the left of them. */
    int phase_x, dst_x, data_x, bytes_x, took_x, waited_x;
    int name_width;
    bool has_phase;
    struct holdup holdup;
    struct line *lines; /* those on the screen */
    int nlines;
};

static const struct pen quiet = {.fg = ROLE_QUIET};

/* Places the columns.  Where there is no room for all, the phase is left out:
 * the line of progress names it, too. */
static void
place_columns(struct log *l)
{
    const struct schedule *s = l->scene->world->schedule;
    int phase = utf8_columns(_("phase")), step, fixed, data;

    step = snprintf(NULL, 0, "%d", s->nsteps) + 2;
    if (utf8_columns(_("step")) > step)
        step = utf8_columns(_("step"));
    for (int i = 0; i < s->nsteps; i++) {
        int width = i > 0 && s->steps[i].phase == s->steps[i - 1].phase
                        ? 0
                        : utf8_columns(translated(s->steps[i].phase));
        phase = width > phase ? width : phase;
    }
    l->name_width = utf8_columns(word_rank(s->nranks - 1).text);
    fixed = step + 2 + 2 * l->name_width + 4 + 2 + 2 + BYTES + TOOK + 1 +
            WAITED;
    data = l->area.width - fixed - phase - 2;
    l->has_phase = data >= DATA_LEAST;
    data += l->has_phase ? 0 : phase + 2;
    l->phase_x = l->area.x + step + 2;
    l->dst_x = l->phase_x + (l->has_phase ? phase + 2 : 0) + l->name_width + 4;
    l->data_x = l->dst_x + l->name_width + 2 + 2;
    l->bytes_x = l->data_x + (data < DATA_MOST ? data : DATA_MOST);
    l->took_x = l->bytes_x + BYTES;
    l->waited_x = l->took_x + TOOK + 1;
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

/* The line of the step shown that stays in the middle: the first transfer that
 * the selected rank sent, else the last that it received, else the first. */
static int
middle_of(const struct world_step *s, int selected)
{
    const struct event **events = sorted(s);
    bool sends = false;
    int found = 0;

    for (int i = 0; i < (int)s->count && !sends; i++) {
        sends = events[i]->src == selected;
        if (sends || events[i]->dst == selected)
            found = i;
    }
    free(events);
    return found;
}

/* Adds those of the `most` lines from line `first` on that there are. */
static void
add_events(struct log *l, int first, int most)
{
    const struct world *w = l->scene->world;

    for (int step = 1, line = 0; step <= w->nsteps + 1 && line < first + most;
         step++) {
        int count = (int)w->steps[step].count;
        const struct event **events =
            line + count > first ? sorted(&w->steps[step]) : NULL;
        for (int i = 0; events != NULL && i < count; i++)
            if (line + i >= first && line + i < first + most)
                l->lines[l->nlines++] = (struct line){
                    events[i], scene_step_of(l->scene, events[i]),
                    events[i]->src, events[i]->dst, events[i]->waited_for};
        free(events);
        line += count;
    }
}

/* Finds the lines of the area: transfers around that of the selected rank, then
 * what is awaited, those that hold others up first, in half of them at most. */
static void
find_lines(struct log *l)
{
    const struct world *w = l->scene->world;
    int n = w->schedule->nranks, height = l->area.height;
    int held[HOLDUP_RANKS_MOST], nheld = 0, all = 0, middle = 0;

    for (int pass = 0; holdup_of(l->scene, &l->holdup) && pass < 2; pass++)
        for (int rank = 0; rank < n && nheld < height / 2; rank++)
            if (l->holdup.ranks[rank].guilty == (pass == 0) &&
                holdup_has(&l->holdup, rank))
                held[nheld++] = rank;
    l->lines = mem_new((size_t)height, sizeof *l->lines);
    height -= nheld;
    for (int step = 1; step <= w->nsteps + 1; step++) {
        if (step == l->step)
            middle = all + middle_of(&w->steps[step], l->scene->selected);
        all += (int)w->steps[step].count;
    }
    add_events(l, within(middle - height / 2, 0, all - height), height);
    for (int i = 0; i < nheld; i++) {
        const struct held_rank *h = &l->holdup.ranks[held[i]];
        bool lacks = h->step > 0;
        l->lines[l->nlines++] =
            (struct line){NULL, lacks ? h->step : w->position + 1,
                          lacks ? h->src : held[i], held[i], h->waits_for};
    }
}

/* The caller frees the lines. */
static struct log
arrange(const struct scene *s, struct rect area)
{
    struct log l = {
        .scene = s,
        .area = {area.x, area.y + 1, area.width, area.height - 1},
        .step = scene_step(s)};

    place_columns(&l);
    find_lines(&l);
    return l;
}

/* Draws what was sent, in which way, how much, and how long it took. */
static void
draw_event(const struct log *l, const struct line *line, struct canvas *c,
           int y, struct pen pen)
{
    const struct world *w = l->scene->world;
    const struct event *e = line->event;
    int before = e->op == EVENT_DIVIDE ? line->step : line->step - 1;
    const uint64_t *row = world_row_at(w, e->src, e->src_slot, before);
    uint32_t sign = e->fault == FAULT_DROP
                        ? glyph(l->scene->glyphs, GLYPH_LOST)
                    : e->fault != FAULT_NONE ? '!'
                    : e->op == EVENT_REDUCE  ? '+'
                    : e->op == EVENT_DIVIDE  ? '/'
                                             : '=';
    struct buf text = {0};

    canvas_put(c, l->data_x - 2, y, sign,
               e->fault == FAULT_NONE
                   ? pen
                   : (struct pen){.fg = ROLE_WARNING, .attrs = ATTR_BOLD});
    sum_name(w, row, &text);
    if (e->nslots > 1)
        buf_addf(&text, " ... x%d", e->nslots);
    canvas_puts_within(c, l->data_x, y, l->bytes_x - l->data_x,
                       buf_text(&text), pen);
    buf_done(&text);
    canvas_puts_before(c, l->took_x, y, word_bytes(e->bytes).text, pen);
    canvas_puts_before(c, l->waited_x - 1, y,
                       word_ns(e->end_ns - e->begin_ns, false).text, pen);
    canvas_puts_within(c, l->waited_x, y, WAITED, word_wait(e).text, pen);
}

/* In the step shown, a rank's colour is the ground of its name, because yellow
 * text cannot be read on a light screen. */
static struct pen
pen_of_rank(const struct log *l, const struct line *line, int rank)
{
    enum role role = palette_origin(rank);

    if (line->step != l->step)
        return line->step > l->step ? quiet : (struct pen){0};
    return (struct pen){.fg = palette_ink(role), .bg = role,
                        .attrs = rank == l->scene->selected ? ATTR_BOLD : 0};
}

static void
draw_line(const struct log *l, const struct line *line, struct canvas *c,
          int y)
{
    const struct scene *s = l->scene;
    const struct world *w = s->world;
    struct pen pen = {.fg = line->step > l->step ? ROLE_QUIET : ROLE_TEXT,
                      .attrs = line->step == l->step ? ATTR_BOLD : 0};

    canvas_putf(c, l->area.x, y, pen, "%*d", l->phase_x - 2 - l->area.x,
                line->step);
    if (line->step == l->step)
        canvas_put(c, l->area.x, y, glyph(s->glyphs, GLYPH_RIGHT), pen);
    if (l->has_phase)
        canvas_puts(c, l->phase_x, y,
                    translated(w->schedule->steps[line->step - 1].phase), pen);
    canvas_puts_before(c, l->dst_x - 4, y, word_rank(line->src).text,
                       pen_of_rank(l, line, line->src));
    if (line->src != line->dst) {
        canvas_puts(c, l->dst_x - 4, y,
                    run_leaves_host(w->run, line->src, line->dst) ? " ~> "
                                                                  : " => ",
                    pen);
        canvas_puts(c, l->dst_x, y, word_rank(line->dst).text,
                    pen_of_rank(l, line, line->dst));
    }
    if (line->event != NULL)
        draw_event(l, line, c, y, pen);
    else
        badge_draw(&l->holdup, line->dst, s->glyphs, c,
                   (struct point){l->waited_x, y}, WAITED);
}

static void
draw(const struct scene *s, struct canvas *c, struct rect area)
{
    struct log l = arrange(s, area);

    canvas_puts_before(c, l.phase_x - 2, area.y, _("step"), quiet);
    if (l.has_phase)
        canvas_puts(c, l.phase_x, area.y, _("phase"), quiet);
    canvas_puts_before(c, l.took_x, area.y, _("bytes"), quiet);
    canvas_puts_before(c, l.waited_x - 1, area.y, _("took"), quiet);
    canvas_puts(c, l.waited_x, area.y, _("waited"), quiet);
    for (int i = 0; i < l.nlines; i++)
        draw_line(&l, &l.lines[i], c, l.area.y + i);
    free(l.lines);
}

/* The rank whose name is nearest: the one waited for, the receiver, else the
 * sender. */
static int
rank_at(const struct scene *s, struct rect area, struct point at)
{
    struct log l = arrange(s, area);
    int row = at.y - l.area.y, rank = -1;

    if (row >= 0 && row < l.nlines)
        rank = at.x >= l.waited_x && l.lines[row].awaited >= 0
                   ? l.lines[row].awaited
               : at.x >= l.dst_x && at.x < l.dst_x + l.name_width
                   ? l.lines[row].dst
                   : l.lines[row].src;
    free(l.lines);
    return rank;
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
    .least = {WIDTH_LEAST, HEIGHT_LEAST},
    .draw = draw,
    .rank_at = rank_at,
    .symbols = symbols,
    .still = true,
};
