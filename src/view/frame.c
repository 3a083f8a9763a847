/* SPDX-License-Identifier: MIT */
#include "view/frame.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "view/help.h"
#include "view/inspect.h"
#include "view/text.h"
#include "view/traffic.h"
#include "view/view.h"
#include "view/words.h"

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD};

static void
draw_right(struct canvas *c, const struct layout *l, int y, const char *text,
           struct pen pen)
{
    canvas_puts(c, l->margin + l->width - utf8_columns(text), y, text, pen);
}

static void
draw_title(const struct scene *s, struct canvas *c, const struct layout *l)
{
    const struct world *w = s->world;
    struct buf text = {0};
    int x = l->margin, left, right;

    x += canvas_puts(c, x, l->title, "collviz", quiet) + 2;
    if (w->schedule == NULL) {
        canvas_puts(c, x, l->title, _("preparing the run ..."), plain);
        return;
    }
    buf_addf(&text, "%s %s", _(w->schedule->algorithm),
             _(w->schedule->collective->title));
    x += canvas_puts_within(c, x, l->title, l->width / 3, buf_text(&text),
                            strong);
    left = x + 2;
    buf_clear(&text);
    buf_addf(&text, "%s %s, %lld", dtype_name(w->run->type),
             redop_name(w->run->op), (long long)w->run->count);
    right = l->margin + l->width - utf8_columns(buf_text(&text));
    draw_right(c, l, l->title, buf_text(&text), plain);
    buf_clear(&text);
    text_where(w, &text);
    x = left + (right - 2 - left - utf8_columns(buf_text(&text))) / 2;
    canvas_puts_within(c, x < left ? left : x, l->title, right - 2 - left,
                       buf_text(&text), plain);
    buf_done(&text);
}

/* Steps first .. last of one phase. */
struct phase {
    const char *name;
    int first, last;
};

static struct phase
phase_at(const struct schedule *s, int step)
{
    struct phase p = {s->steps[step - 1].phase, step, step};

    while (p.first > 1 && strcmp(s->steps[p.first - 2].phase, p.name) == 0)
        p.first--;
    while (p.last < s->nsteps && strcmp(s->steps[p.last].phase, p.name) == 0)
        p.last++;
    return p;
}

static const char *
phase_name(const struct phase *p)
{
    return p->name[0] != '\0' ? _(p->name) : "";
}

/* Columns of all phases' names, each with a blank on both sides. */
static int
names_columns(const struct schedule *s)
{
    int columns = 0;

    for (int step = 1; step <= s->nsteps;) {
        struct phase p = phase_at(s, step);
        columns += utf8_columns(phase_name(&p)) + 2;
        step = p.last + 1;
    }
    return columns;
}

/* A piece of the line for steps first .. last; `here` is the step we are at,
 * 0 before the first. */
static void
draw_track(struct canvas *c, enum glyph_set set, int x, int y, int width,
           const struct phase *p, int here)
{
    int steps = p->last - p->first + 1;
    int done = here < p->first ? 0 : here > p->last ? steps
                                                   : here - p->first + 1;
    int filled = width * done / steps;

    canvas_fill(c, x, y, filled, glyph(set, GLYPH_DONE), plain);
    canvas_fill(c, x + filled, y, width - filled, glyph(set, GLYPH_AHEAD),
                quiet);
    if (done > 0 && here <= p->last)
        canvas_put(c, x + (filled > 0 ? filled - 1 : 0), y,
                   glyph(set, GLYPH_HERE), strong);
}

static void
draw_phases(const struct scene *s, struct canvas *c, int x, int y, int width)
{
    const struct schedule *schedule = s->world->schedule;
    int room = width - names_columns(schedule), here = scene_step(s);
    struct phase all = {"", 1, schedule->nsteps};

    if (room < 3 * schedule->nsteps && room < 16) {
        draw_track(c, s->glyphs, x, y, width, &all, here);
        return;
    }
    for (int step = 1; step <= schedule->nsteps;) {
        struct phase p = phase_at(schedule, step);
        bool current = here >= p.first && here <= p.last;
        int track = room * (p.last - p.first + 1) / schedule->nsteps;

        x += canvas_puts(c, x, y, phase_name(&p), current ? strong : quiet);
        draw_track(c, s->glyphs, x + 1, y, track, &p, here);
        x += track + 2;
        step = p.last + 1;
    }
}

static void
draw_progress(const struct scene *s, struct canvas *c, const struct layout *l)
{
    int steps = s->world->schedule->nsteps;
    struct buf most = {0}, text = {0};
    int columns;

    if (steps == 0) {
        draw_right(c, l, l->progress, _("no steps"), strong);
        return;
    }
    buf_addf(&most, _("step %d/%d"), steps, steps);
    buf_addf(&text, _("step %d/%d"), scene_step(s), steps);
    columns = utf8_columns(buf_text(&most));
    draw_phases(s, c, l->margin, l->progress, l->width - columns - 2);
    draw_right(c, l, l->progress, buf_text(&text), strong);
    buf_done(&most);
    buf_done(&text);
}

static void
draw_words(const struct scene *s, struct canvas *c, const struct layout *l)
{
    struct buf text = {0};
    bool wrong;
    int x = l->margin;

    words_now(s, &text);
    canvas_puts_within(c, x, l->now, l->width, buf_text(&text), strong);
    buf_clear(&text);
    words_next(s, &text, &wrong);
    if (wrong)
        x += canvas_puts(c, x, l->next, "! ",
                         (struct pen){.fg = ROLE_WARNING,
                                      .attrs = ATTR_BOLD});
    canvas_puts_within(c, x, l->next, l->width - (x - l->margin),
                       buf_text(&text),
                       wrong ? (struct pen){.fg = ROLE_WARNING} : plain);
    buf_done(&text);
}

/* What the keys do, in few enough words for 80 columns. */
static void
draw_keys(const struct scene *s, struct canvas *c, const struct layout *l)
{
    char speed[16];
    const struct {
        const char *key, *what;
    } keys[] = {
        {s->glyphs == GLYPHS_FULL ? "←" : "h", _("back")},
        {s->glyphs == GLYPHS_FULL ? "→" : "l", _("next")},
        {"p", s->playing ? _("pause") : _("play")},
        {"+-", speed},
        {"g", _("go to")},
        {"v", _("view")},
        {"Tab", _("GPU")},
        {"Enter", _("look")},
        {"?", ""},
        {"q", ""},
    };
    int x = l->margin;

    if (s->prompt != NULL) {
        x += canvas_puts(c, x, l->keys, s->prompt, strong);
        canvas_put(c, x, l->keys, '_', strong);
        return;
    }
    snprintf(speed, sizeof speed, s->speed >= 0 ? "x%d" : "x1/%d",
             1 << (s->speed >= 0 ? s->speed : -s->speed));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        x += canvas_puts(c, x, l->keys, keys[i].key, strong) + 1;
        x += canvas_puts(c, x, l->keys, keys[i].what, quiet) +
             (keys[i].what[0] != '\0' ? 2 : 1);
    }
}

static void
draw_too_small(struct canvas *c)
{
    struct buf text = {0};
    int x, y = c->rows / 2;

    buf_addf(&text, _("%dx%d is too small: %dx%d is needed"), c->columns,
             c->rows, LAYOUT_COLUMNS_LEAST, LAYOUT_ROWS_LEAST);
    x = (c->columns - utf8_columns(buf_text(&text))) / 2;
    canvas_puts_within(c, x < 0 ? 0 : x, y, c->columns, buf_text(&text),
                       plain);
    buf_done(&text);
}

static void
draw_picture(const struct scene *s, struct canvas *c, struct rect area)
{
    if (s->inspect)
        inspect_draw(s, c, area);
    else
        view_choose(s, area)->draw(s, c, area);
}

/* More rows than the picture has are needed. */
static void
draw_help(const struct scene *s, struct canvas *c, struct rect picture)
{
    const struct symbol *symbols =
        s->inspect || s->world->schedule == NULL
            ? inspect_symbols
            : view_choose(s, picture)->symbols;

    help_draw(s, symbols, c, (struct rect){0, 0, c->columns, c->rows});
}

void
frame_draw(const struct scene *s, struct canvas *c)
{
    struct layout l;

    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    if (!layout(c->columns, c->rows, &l)) {
        draw_too_small(c);
        return;
    }
    draw_title(s, c, &l);
    if (s->world->schedule != NULL && world_step_complete(s->world, 0)) {
        draw_progress(s, c, &l);
        draw_picture(s, c, l.picture);
        draw_words(s, c, &l);
        traffic_draw(s, c, &l);
    }
    draw_keys(s, c, &l);
    if (s->help)
        draw_help(s, c, l.picture);
}
