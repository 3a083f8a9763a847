/* SPDX-License-Identifier: MIT */
#include "view/progress.h"

#include <string.h>

#include "base/translate.h"
#include "base/utf8.h"
#include "draw/glyph.h"

static const struct pen accent = {.fg = ROLE_ACCENT},
                        quiet = {.fg = ROLE_QUIET},
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

/* Sets *t to the next track, or to the first if *t is zeroed. Returns false
 * after the last. */
static bool
next_track(const struct schedule *s, const struct layout *l, struct track *t)
{
    int x = t->last == 0 ? l->margin : t->x + t->width + 1;
    int width = l->width - 2, room, widest = 0;
    struct buf most = {0};

    if (t->last == s->nsteps)
        return false;
    buf_addf(&most, _("step %d/%d"), s->nsteps, s->nsteps);
    room = width -= utf8_columns(buf_text(&most)); /* enough for every step */
    buf_done(&most);
    for (struct track phase = {0}; phase.last < s->nsteps;) {
        int columns;
        phase = phase_from(s, phase.last + 1);
        columns = utf8_columns(phase.name);
        widest = columns > widest ? columns : widest;
        room -= columns + 2; /* a blank on both sides */
    }
    if (room < 3 * s->nsteps && room < TRACK_LEAST) {
        *t = (struct track){"", 1, s->nsteps, x + widest + 1,
                            width - widest - 1};
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
    int done = here < t->first  ? 0
               : here > t->last ? steps_of(t)
                                : here - t->first + 1;
    int filled = t->width * done / steps_of(t);

    canvas_fill(c, t->x, y, filled, glyph(set, GLYPH_DONE), accent);
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
        struct pen pen = here >= t.first && here <= t.last ? strong : quiet;
        const char *phase = schedule->steps[here > 0 ? here - 1 : 0].phase;
        if (t.name[0] == '\0') /* one track: names the current phase */
            canvas_puts(c, l->margin, l->progress, translated(phase), pen);
        canvas_puts(c, t.x - 1 - utf8_columns(t.name), l->progress, t.name,
                    pen);
        draw_track(&t, c, s->glyphs, l->progress, here);
    }
    canvas_puts(c, l->margin + l->width - utf8_columns(buf_text(&text)),
                l->progress, buf_text(&text), strong);
    buf_done(&text);
}

/* A click on a phase's name goes to the first step of the phase, one on its
 * track to the first step whose mark is there or to the right. */
int
progress_at(const struct scene *s, const struct layout *l, int x)
{
    struct track t = {0};

    while (next_track(s->world->schedule, l, &t)) {
        int done = (x - t.x + 1) * steps_of(&t);
        if (x < t.x - 1 - utf8_columns(t.name) || x >= t.x + t.width)
            continue;
        return x < t.x ? t.first : t.first - 1 + (done + t.width - 1) / t.width;
    }
    return 0;
}
