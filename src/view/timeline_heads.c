/* SPDX-License-Identifier: MIT */
#include "view/timeline_heads.h"

#include <stdio.h>
#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/badge.h"
#include "draw/glyph.h"
#include "text/text.h"

static const struct pen quiet = {.fg = ROLE_QUIET};
static const struct pen strong = {.fg = ROLE_CURRENT, .attrs = ATTR_BOLD};

/* Draws the number of the step shown, with an arrowhead above the cursor. Sets
 * used[0] and used[1] to the columns that it takes; both are 0 if there is no
 * cursor. */
static void
draw_current_step(const struct timeline *t, int used[2])
{
    char text[16];

    used[0] = used[1] = 0;
    if (!timeline_cursor(t, &used[1]))
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
    int n = w->schedule->nranks, y = t->area.y - TIMELINE_HEAD;
    int x = t->area.x - t->label_width;
    int end = t->area.x + t->area.width + TIMELINE_WAITED;
    struct buf text = {0};

    if (t->count < n)
        buf_addf(&text, _("GPUs %d to %d of %d"), t->first,
                 t->first + t->count - 1, n);
    else
        buf_puts(&text, _("waited"));
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
put_legend(const struct timeline *t, int x, uint32_t code, const char *meaning)
{
    int y = t->area.y + t->area.height + TIMELINE_FOOT - 1;

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
        canvas_puts(t->canvas, t->area.x - t->label_width,
                    timeline_row(t, rank), scene_rank_name(rank, name),
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
        struct point at = {t->area.x + t->area.width + 1,
                           timeline_row(t, rank)};
        if (held && badge_draw(&holdup, rank, t->scene->glyphs, t->canvas, at,
                               TIMELINE_WAITED - 1) > 0)
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
        canvas_puts_within(t->canvas, at.x, at.y, TIMELINE_WAITED - 1,
                           buf_text(&text), (struct pen){0});
    }
    buf_done(&text);
    buf_done(&time);
}

void
timeline_heads_draw(const struct timeline *t)
{
    int bottom = t->area.y + t->count * t->pitch;

    draw_head(t);
    draw_legend(t);
    draw_labels(t);
    draw_steps(t);
    if (t->axis.nspans > 1)
        draw_durations(t, bottom);
    else if (t->axis.nspans == 1)
        draw_ruler(t, &t->axis.spans[0], bottom);
    draw_waits(t);
}
