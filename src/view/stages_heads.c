/* SPDX-License-Identifier: MIT */
#include "view/stages_heads.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"

struct heads {
    const struct stages *stages;
    const struct scene *scene;
    struct canvas *canvas;
    int end; /* the last column that has a head */
};

static const struct pen quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD};

/* How much heads say, the same for all columns. */
enum head { HEAD_ALL, HEAD_WHAT, HEAD_NUMBER };

/* What a step does: "2 apart". Appends nothing if no short words say it. */
static void
add_what(const struct schedule *s, int step, struct buf *out)
{
    int distance = rungs_distance(s, step);

    if (step == 0)
        buf_puts(out, _("input"));
    else if (distance > 0)
        buf_addf(out, _("%d apart"), distance);
    else if (schedule_step_is_local(s, step))
        buf_puts(out, translated(s->steps[step - 1].phase));
}

static void
add_head(const struct schedule *s, int step, enum head form, struct buf *out)
{
    struct buf what = {0};

    add_what(s, step, &what);
    if (step > 0 && (form != HEAD_WHAT || what.length == 0))
        buf_addf(out, "%d", step);
    if (out->length > 0 && what.length > 0 && form == HEAD_ALL)
        buf_puts(out, ": ");
    if (step == 0 || form != HEAD_NUMBER)
        buf_puts(out, buf_text(&what));
    buf_done(&what);
}

/* Draws a head over its rungs, or farther to the right if the head before it
 * ends at `from`. Returns where it ends, or INT_MAX if that is not over its
 * column. If the canvas is NULL, draws nothing. */
static int
draw_head(const struct heads *p, int step, enum head form, int from,
          struct canvas *c)
{
    const struct stages *g = p->stages;
    const struct stages_column *column = stages_column(g, step);
    int end = column->x + column->width, x = column->x, width;
    struct buf text = {0};

    if (step == 0 || step > g->first) /* else its rungs are not shown */
        add_head(g->schedule, step, form, &text);
    width = utf8_columns(buf_text(&text));
    if (step > g->first)
        x = (column->gap_x + column->x - width) / 2;
    else if (width > column->width)
        x = end - width;
    if (x < from)
        x = from;
    if (c != NULL)
        canvas_puts(c, x, g->heads_y, buf_text(&text),
                    step == scene_step(p->scene) ? strong : quiet);
    buf_done(&text);
    return x + width <= end || step == g->first ? x + width + 1 : INT_MAX;
}

static bool
draw_heads(const struct heads *p, enum head form, struct canvas *c)
{
    int from = 0;

    for (int step = p->stages->first;
         step <= p->end && from < INT_MAX; step++)
        from = draw_head(p, step, form, from, c);
    return from < INT_MAX;
}

static enum head
choose_heads(const struct heads *p)
{
    bool all_say = true;
    struct buf what = {0};

    if (draw_heads(p, HEAD_ALL, NULL))
        return HEAD_ALL;
    for (int step = p->stages->first; step <= p->stages->last; step++) {
        buf_clear(&what);
        add_what(p->stages->schedule, step, &what);
        all_say = all_say && what.length > 0;
    }
    buf_done(&what);
    return all_say && draw_heads(p, HEAD_WHAT, NULL) ? HEAD_WHAT
                                                     : HEAD_NUMBER;
}

/* Draws the name of each phase over its columns, and a line to its last one. */
static void
draw_phases(const struct heads *p)
{
    const struct stages *g = p->stages;
    const struct step *steps = g->schedule->steps;
    int last;

    for (int step = g->first > 0 ? g->first : 1; step <= g->last;
         step = last + 1) {
        const struct stages_column *c = stages_column(g, step);
        const char *phase = steps[step - 1].phase;
        int x = step > g->first ? c->gap_x + 1 : c->x, end;
        for (last = step; last < g->last; last++)
            if (strcmp(steps[last].phase, phase) != 0)
                break;
        c = stages_column(g, last);
        end = c->x + c->width;
        x += canvas_puts_within(p->canvas, x, g->phases_y, end - x,
                                translated(phase), quiet) + 1;
        canvas_fill(p->canvas, x, g->phases_y, end - x,
                    glyph(p->scene->glyphs, GLYPH_HORIZONTAL), quiet);
    }
}

/* Where columns are left out, draws an ellipsis in every line, and how many
 * they are. */
static void
draw_edges(const struct heads *p)
{
    const struct stages *g = p->stages;
    const struct stages_column *last = stages_column(g, g->last);
    int before = g->first, after = g->schedule->nsteps - g->last;
    int left = stages_column(g, g->first)->x, right = last->x + last->width;
    char text[24];

    for (int rank = 0; rank < g->schedule->nranks; rank++) {
        if (before > 0)
            canvas_puts(p->canvas, left - 4, stages_row(g, rank), "...", quiet);
        if (after > 0)
            canvas_puts(p->canvas, right + 1, stages_row(g, rank), "...",
                        quiet);
    }
    snprintf(text, sizeof text, "+%d ...", before);
    if (before > 0)
        canvas_puts(p->canvas, left - 1 - (int)strlen(text), g->heads_y, text,
                    quiet);
    snprintf(text, sizeof text, "... +%d", after);
    if (after > 0)
        canvas_puts(p->canvas, right + 1, g->heads_y, text, quiet);
}

void
stages_heads_draw(const struct stages *g, const struct scene *s, int end,
                  struct canvas *c)
{
    struct heads p = {g, s, c, end};

    draw_heads(&p, choose_heads(&p), c);
    if (g->phases_y >= 0)
        draw_phases(&p);
    draw_edges(&p);
}
