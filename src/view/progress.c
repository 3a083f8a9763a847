/* SPDX-License-Identifier: MIT */
#include "view/frame.h"

#include <stdio.h>
#include <string.h>

#include "base/bounds.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "text/word.h"

/* If there are fewer columns for all tracks, or more phases, there is only one
 * track, with the name of the current phase. */
enum { TRACK_LEAST = 16, TRACKS_MOST = 32 };

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

static int
tracks_of(const struct schedule *s, const struct layout *l, bool hides,
          struct track all[TRACKS_MOST])
{
    int x = l->margin, n = 0, width = l->width - 2, room, widest = 0;
    OWN(buf) text = {0};

    buf_addf(&text, _("step %d/%d"), s->nsteps, s->nsteps);
    room = width -= utf8_columns(buf_text(&text)); /* enough for every step */
    for (int step = 1; step <= s->nsteps; step++) {
        const char *name = s->steps[step - 1].phase;
        if (step == 1 || strcmp(name, s->steps[step - 2].phase) != 0) {
            int columns = utf8_columns(translated(name));
            widest = most(columns, widest);
            room -= columns + 2; /* a blank on both sides */
            if (n++ < TRACKS_MOST)
                all[n - 1] = (struct track){translated(name), .first = step};
        }
        all[least(n, TRACKS_MOST) - 1].last = step;
    }
    if (hides || n > TRACKS_MOST ||
        (room < 3 * s->nsteps && room < TRACK_LEAST)) {
        all[0] = (struct track){"", 1, s->nsteps, x + widest + 1,
                                width - widest - 1};
        return 1;
    }
    for (struct track *t = all; t < all + n; t++) {
        t->x = x + utf8_columns(t->name) + 1;
        t->width = room * steps_of(t) / s->nsteps;
        x = t->x + t->width + 1;
    }
    return n;
}

/* There is one track while a question is open, and it does not fill.  A click
 * on a phase's name goes to the first step of the phase, one on its track to
 * the first step whose mark is there or to the right. */
void
progress_draw(const struct scene *s, struct canvas *c, const struct layout *l)
{
    const struct schedule *schedule = s->world->schedule;
    int here = scene_step(s), y = l->progress, done, filled;
    struct track tracks[TRACKS_MOST];
    int n = schedule->nsteps > 0 ? tracks_of(schedule, l, s->hides, tracks)
                                 : 0;
    OWN(buf) text = {0};

    if (schedule->nsteps == 0)
        buf_puts(&text, _("no steps"));
    else if (s->hides || (s->taught && here < schedule->nsteps))
        buf_addf(&text, _("step %d"), here); /* a lesson may ask how many */
    else
        buf_addf(&text, _("step %d/%d"), here, schedule->nsteps);
    for (int i = 0; i < n; i++) {
        const struct track t = tracks[i];
        struct pen pen = here >= t.first && here <= t.last ? strong : quiet;
        const char *phase = schedule->steps[here > 0 ? here - 1 : 0].phase;
        if (t.name[0] == '\0') /* one track: names the current phase */
            canvas_puts(c, l->margin, y, translated(phase), pen);
        canvas_puts(c, t.x - 1 - utf8_columns(t.name), y, t.name, pen);
        done = s->hides ? 0 : within(here - t.first + 1, 0, steps_of(&t));
        filled = t.width * done / steps_of(&t);
        canvas_target(c, (struct rect){t.x - 1 - utf8_columns(t.name), y,
                                       1 + utf8_columns(t.name), 1},
                      TARGET_STEP, t.first, -1);
        for (int k = 0; k < t.width; k++)
            canvas_target(c, (struct rect){t.x + k, y, 1, 1}, TARGET_STEP,
                          t.first - 1 + ((k + 1) * steps_of(&t) + t.width - 1) /
                                            t.width, -1);
        canvas_fill(c, t.x, y, filled, glyph(c->glyphs, GLYPH_DONE),
                    (struct pen){.fg = ROLE_ACCENT});
        canvas_fill(c, t.x + filled, y, t.width - filled,
                    glyph(c->glyphs, GLYPH_AHEAD), quiet);
        if (done > 0 && here <= t.last)
            canvas_glyph(c, t.x + most(filled - 1, 0), y, GLYPH_HERE, strong);
    }
    canvas_puts(c, l->margin + l->width - utf8_columns(buf_text(&text)), y,
                buf_text(&text), strong);
}

static void
keep_most(int64_t *most, int64_t value)
{
    *most = value > *most ? value : *most;
}

struct traffic
traffic_of(const struct world *w)
{
    const struct schedule *s = w->schedule;
    int64_t data = w->run->count * (int64_t)dtype_size(w->run->type);
    int members = schedule_members(s);
    struct traffic t = {
        .even = true,
        .optimum = (int64_t)(
            (double)data * collective_least_sent(s->collective, members) +
            0.5)};

    for (int rank = 0; rank < members; rank++) {
        keep_most(&t.sent.now, w->sent[rank]);
        keep_most(&t.sent.total, w->to_send[rank]);
        keep_most(&t.received.now, w->received[rank]);
        keep_most(&t.received.total, w->to_receive[rank]);
        t.even = t.even && w->to_send[rank] == w->to_send[0] &&
                 w->to_receive[rank] == w->to_send[0];
    }
    return t;
}

/* Adds "sent: 8 B of 32 B", always in the same width, so that the rest of the
 * line does not move. */
static void
add_amount(struct amount a, const char *format, struct buf *out)
{
    struct word total = word_bytes(a.total);
    int width = (int)(a.total < 1000 ? strlen(total.text)
                                     : sizeof "1.97 KiB" - 1);
    char now[sizeof total.text];

    snprintf(now, sizeof now, "%*s", width, word_bytes(a.now).text);
    buf_addf(out, format, now, total.text);
}

/* Draws an amount and its bar at the left of a row, as far as there is room,
 * and leaves the rest of the row. */
static void
draw_amount(struct canvas *c, struct rect *row, struct amount a,
            const char *format, bool small)
{
    struct rect bar = {.y = row->y, .width = small ? 5 : 12};
    OWN(buf) text = {0};
    int columns;

    add_amount(a, format, &text);
    columns = utf8_columns(buf_text(&text));
    bar.x = row->x + columns + (small ? 1 : 2);
    if (columns <= row->width)
        canvas_puts(c, row->x, row->y, buf_text(&text), plain);
    if (bar.x + bar.width <= row->x + row->width)
        glyph_bar(c, bar, a.now, a.total, plain);
    columns = bar.x + bar.width + 2 - row->x;
    row->x += columns;
    row->width -= columns;
}

void
traffic_draw(const struct scene *s, struct canvas *c, const struct layout *l)
{
    static const char *const optimum[] = {
        N_("optimum %2$s of its data: %1$s"), N_("optimum %2$s: %1$s"),
        N_("optimum %s")};
    bool switches = s->world->schedule->topology.switches > 0;
    struct traffic t = traffic_of(s->world);
    struct rect row = {l->margin, l->traffic, l->width, 1};
    OWN(buf) text = {0};

    if (l->traffic < 0)
        return;
    draw_amount(c, &row, t.sent,
                t.even ? _("sent per GPU: %1$s of %2$s")
                       : _("most sent: %1$s of %2$s"), !t.even);
    if (!t.even)
        draw_amount(c, &row, t.received, _("received: %1$s of %2$s"), true);
    if (s->world->schedule->counts != NULL) /* the optimum is of even ones */
        return;
    for (size_t i = 0; i < (switches ? 1 : sizeof optimum / sizeof *optimum);
         i++) {
        buf_clear(&text);
        buf_addf(&text, switches ? _("without a switch %2$s: %1$s")
                                           : _(optimum[i]),
                 word_bytes(t.optimum).text,
                 s->world->schedule->collective->least_formula);
        if (utf8_columns(buf_text(&text)) <= row.width) {
            canvas_puts(c, row.x, row.y, buf_text(&text), quiet);
            break;
        }
    }
}

/* Each link that carries data has a cell; `across` of them are side by side. */
int
traffic_draw_links(const struct scene *s, struct canvas *c, struct rect area)
{
    enum { HEAD_ROWS = 2, BAR_LEAST = 6, BAR_MOST = 16, GAP = 3 };
    const struct world_link *links = s->world->links;
    int n = s->world->schedule->nranks, count = 0, figure = 0, drawn = 0;
    int digits = snprintf(NULL, 0, "%d", n - 1), pitch, across, columns;
    OWN(buf) text = {0};

    for (int i = 0; links != NULL && i < n * n; i++) {
        if (links[i].total == 0)
            continue;
        count++;
        buf_clear(&text);
        add_amount((struct amount){0, links[i].total}, _("%1$s of %2$s"),
                   &text);
        figure = most(figure, utf8_columns(buf_text(&text)));
    }
    pitch = 2 * digits + 2 + BAR_LEAST + 1 + figure + GAP;
    across = within((area.width + GAP) / pitch, 0, count);
    if (across == 0 || c == NULL)
        return across > 0 ? HEAD_ROWS + (count + across - 1) / across : 0;
    columns = within(BAR_LEAST + (area.width + GAP) / across - pitch,
                     BAR_LEAST, BAR_MOST);
    pitch += columns - BAR_LEAST;
    canvas_puts_within(c, area.x, area.y + 1, area.width,
                       _("bytes sent over each link"), quiet);
    for (int i = 0; i < n * n; i++) {
        struct rect bar = {area.x + drawn % across * pitch,
                           area.y + HEAD_ROWS + drawn / across, columns, 1};
        int src = i / n, dst = i % n;
        struct pen pen = src == s->selected || dst == s->selected ? plain
                                                                  : quiet;
        if (links[i].total == 0)
            continue;
        drawn++;
        canvas_putf(c, bar.x, bar.y, pen, "%*d", digits, src);
        canvas_glyph(c, bar.x + digits, bar.y, GLYPH_RIGHT, pen);
        canvas_putf(c, bar.x + digits + 1, bar.y, pen, "%d", dst);
        bar.x += 2 * digits + 2;
        glyph_bar(c, bar, links[i].sent, links[i].total, plain);
        buf_clear(&text);
        add_amount((struct amount){links[i].sent, links[i].total},
                   _("%1$s of %2$s"), &text);
        canvas_puts_before(c, bar.x + columns + 1 + figure, bar.y,
                           buf_text(&text), pen);
    }
    return HEAD_ROWS + (count + across - 1) / across;
}
