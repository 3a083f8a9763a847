/* SPDX-License-Identifier: MIT */
#include "view/progress.h"

#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"

static const struct pen plain = {0}, quiet = {.fg = ROLE_QUIET},
                        strong = {.attrs = ATTR_BOLD};

/* If there are fewer columns for all tracks, there is only one track, with the
 * name of the current phase. */
enum { TRACK_LEAST = 16 };

/* A piece of the line: steps first .. last of one phase. */
struct track {
    const char *name; /* "" if the track covers all phases */
    int first, last;
    int x, width; /* of the track; the name ends one column before it */
};

static int
steps_of(const struct track *t)
{
    return t->last - t->first + 1;
}

/* The track for the phase that begins with a step. */
static struct track
phase_from(const struct schedule *s, int step)
{
    const char *name = s->steps[step - 1].phase;
    struct track t = {.name = translated(name), .first = step, .last = step};

    while (t.last < s->nsteps && strcmp(s->steps[t.last].phase, name) == 0)
        t.last++;
    return t;
}

/* The width of the names of all phases, each with a blank on both sides. */
static int
names_columns(const struct schedule *s)
{
    int columns = 0;

    for (int step = 1; step <= s->nsteps;) {
        struct track t = phase_from(s, step);
        columns += utf8_columns(t.name) + 2;
        step = t.last + 1;
    }
    return columns;
}

static int
widest_name(const struct schedule *s)
{
    int widest = 0;

    for (int step = 1; step <= s->nsteps;) {
        struct track t = phase_from(s, step);
        int columns = utf8_columns(t.name);
        widest = columns > widest ? columns : widest;
        step = t.last + 1;
    }
    return widest;
}

/* The width of "step 12/12": enough for every step. */
static int
number_columns(const struct schedule *s)
{
    struct buf most = {0};
    int columns;

    buf_addf(&most, _("step %d/%d"), s->nsteps, s->nsteps);
    columns = utf8_columns(buf_text(&most));
    buf_done(&most);
    return columns;
}

/* Sets *t to the next track, or to the first if *t is zeroed. Returns false
 * after the last. */
static bool
next_track(const struct schedule *s, const struct layout *l, struct track *t)
{
    int width = l->width - number_columns(s) - 2;
    int room = width - names_columns(s);
    int x = t->last == 0 ? l->margin : t->x + t->width + 1;

    if (t->last == s->nsteps)
        return false;
    if (room < 3 * s->nsteps && room < TRACK_LEAST) {
        int name = widest_name(s) + 1;
        *t = (struct track){"", 1, s->nsteps, x + name, width - name};
        return true;
    }
    *t = phase_from(s, t->last + 1);
    t->x = x + utf8_columns(t->name) + 1;
    t->width = room * steps_of(t) / s->nsteps;
    return true;
}

/* Draws a track. `here` is the current step, 0 before the first. */
static void
draw_track(const struct track *t, struct canvas *c, enum glyph_set set, int y,
           int here)
{
    int steps = steps_of(t);
    int done = here < t->first ? 0 : here > t->last ? steps
                                                   : here - t->first + 1;
    int filled = t->width * done / steps;

    canvas_fill(c, t->x, y, filled, glyph(set, GLYPH_DONE), plain);
    canvas_fill(c, t->x + filled, y, t->width - filled,
                glyph(set, GLYPH_AHEAD), quiet);
    if (done > 0 && here <= t->last)
        canvas_put(c, t->x + (filled > 0 ? filled - 1 : 0), y,
                   glyph(set, GLYPH_HERE), strong);
}

void
progress_draw(const struct scene *s, struct canvas *c, const struct layout *l)
{
    const struct schedule *schedule = s->world->schedule;
    int here = scene_step(s);
    struct track t = {0};
    struct buf text = {0};

    if (schedule->nsteps == 0)
        buf_puts(&text, _("no steps"));
    else if (s->taught && here < schedule->nsteps)
        buf_addf(&text, _("step %d"), here); /* a lesson may ask how many */
    else
        buf_addf(&text, _("step %d/%d"), here, schedule->nsteps);
    while (next_track(schedule, l, &t)) {
        if (t.name[0] == '\0') { /* one track: name the current phase */
            const char *name =
                schedule->steps[here > 0 ? here - 1 : 0].phase;
            canvas_puts(c, l->margin, l->progress,
                        name[0] != '\0' ? _(name) : "",
                        here > 0 ? strong : quiet);
        }
        canvas_puts(c, t.x - 1 - utf8_columns(t.name), l->progress, t.name,
                    here >= t.first && here <= t.last ? strong : quiet);
        draw_track(&t, c, s->glyphs, l->progress, here);
    }
    canvas_puts(c, l->margin + l->width - utf8_columns(buf_text(&text)),
                l->progress, buf_text(&text), strong);
    buf_done(&text);
}

/* The first step whose mark is at column x or to the right of it. */
static int
step_at(const struct track *t, int x)
{
    int done = (x - t->x + 1) * steps_of(t);

    return t->first - 1 + (done + t->width - 1) / t->width;
}

/* A click on a phase's name goes to the first step of the phase. */
int
progress_at(const struct scene *s, const struct layout *l, int x)
{
    struct track t = {0};

    while (next_track(s->world->schedule, l, &t)) {
        if (x < t.x - 1 - utf8_columns(t.name) || x >= t.x + t.width)
            continue;
        return x < t.x ? t.first : step_at(&t, x);
    }
    return 0;
}
