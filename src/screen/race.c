/* SPDX-License-Identifier: MIT */
#include "screen/race.h"

#include <math.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/utf8.h"
#include "draw/block.h"
#include "play/play.h"
#include "screen/window.h"
#include "text/text.h"
#include "text/word.h"
#include "view/frame.h"

/* What is shown. */

enum {
    COLUMNS_LEAST = 26, /* of a lane with others beside it */
    COLUMNS_ROOMY = 66, /* with fewer, lanes are in two rows, if these have */
    ROWS_ROOMY = 14,    /* this many rows */
    COLUMNS_LOW = 38,   /* else they need as many to be in one */
    ROWS_AIRY = 30,     /* of a screen: from these on one is left blank */
    TITLE_ROWS = 1,
    KEYS_ROWS = 1,
    NAME_MOST = 26,     /* columns beside the bars */
    TIME_COLUMNS = 9,
    STATE_COLUMNS = 18, /* "place 2, level" in each language */
    RANKING_NAME = 17,
    RANKING_COLUMNS = 37, /* with fewer it has no times */
    RANKING_LEAST = 24,
    GAP = 2, /* columns between a text on the left and one on the right */
};

/* Draws a text that ends at the column before `end`, if it does not reach to
 * the left of x. */
static bool
put_before(struct canvas *c, int x, int end, int y, const struct buf *text,
           struct pen pen)
{
    bool fits = x + utf8_columns(buf_text(text)) <= end;

    if (fits)
        canvas_puts_before(c, end, y, buf_text(text), pen);
    return fits;
}

/* Draws a row for each lane: its name, a bar on the time scale of all of them,
 * how long it takes, its place.  The clock is a line through all bars, and
 * stands below them, beside the end of the scale. */
static void
draw_track(const struct lanes *l, struct canvas *c)
{
    const struct pen clock = {.fg = ROLE_ACCENT, .attrs = ATTR_BOLD};
    int name = 0, y = TITLE_ROWS, x, width, at;
    int64_t now = 0, longest = 1;
    OWN(buf) text = {0};

    for (int i = 0; i < l->n; i++) {
        const struct lane *lane = &l->all[i];
        int chunks = lane->chunks > 0
                         ? 1 + utf8_columns(word_chunks(lane->chunks).text)
                         : 0;
        now = most64(now, lane->ns);
        longest = most64(longest, lane->of_ns);
        name = most(name, utf8_columns(lane->name) + chunks);
    }
    name = least(name, NAME_MOST);
    x = 1 + name + GAP;
    width = c->columns - 1 - TIME_COLUMNS - STATE_COLUMNS - x;
    at = x + (int)((double)(width - 1) * (double)now / (double)longest);
    for (int i = 0; i < l->n; i++, y++) {
        const struct lane *lane = &l->all[i];
        const struct world *w = lane->scene.world;
        struct pen pen = lane->place == 1 ? strong : plain;
        int bar = (int)ceil((double)width * (double)lane->of_ns /
                            (double)longest);
        int end = 2 + canvas_puts_within(c, 1, y, name, lane->name, strong);
        if (lane->chunks > 0)
            canvas_puts_within(c, end, y, 1 + name - end,
                               word_chunks(lane->chunks).text, quiet);
        glyph_bar(c, (struct rect){x, y, bar, 1}, lane->ns,
                  most64(lane->of_ns, 1), plain);
        canvas_glyph(c, at, y, GLYPH_THICK, clock);
        canvas_puts_before(c, x + width + TIME_COLUMNS, y,
                           word_ns(lane->of_ns, false).text, pen);
        buf_clear(&text);
        if (lane->place > 0)
            buf_addf(&text, _("place %d"), lane->place);
        else
            buf_addf(&text, _("step %1$d/%2$d"), w->position, w->nsteps);
        if (lane->place > 0 && lane->level)
            buf_addf(&text, ", %s", _("level"));
        canvas_puts_before(c, c->columns - 1, y, buf_text(&text), pen);
    }
    buf_clear(&text);
    buf_addf(&text, "%s%s", word_ns(longest, false).text,
             run_is_modelled(l->all[0].scene.world->run) ? _(" modelled") : "");
    canvas_puts(c, x, y, "0", quiet);
    canvas_puts_before(c, x + width, y, buf_text(&text),
                       now < longest ? quiet : clock);
    at = least(at, x + width - utf8_columns(buf_text(&text)) - GAP -
                       utf8_columns(word_ns(now, false).text));
    if (now > 0 && now < longest)
        canvas_putf(c, at, y, clock, " %s ", word_ns(now, false).text);
}

/* Draws a lane's name, what it has sent, and its picture.  A lane that is too
 * narrow for a picture with names has its ranks side by side. */
static void
draw_lane(struct lane *l, struct canvas *c, struct rect at)
{
    struct traffic t = traffic_of(l->scene.world);
    struct rect picture = {at.x, at.y + 1, at.width, at.height - 1};
    OWN(buf) text = {0};
    int x = at.x + canvas_puts_within(c, at.x, at.y, at.width, l->name,
                                      l->place == 1 ? strong : plain);

    for (int cut = 0; cut < 3; cut++) {
        buf_clear(&text);
        if (l->here_ns > 0 && cut < 2)
            buf_addf(&text, l->here_level ? _("here: %s, level; ")
                                          : _("here: %s; "),
                     word_ns(l->here_ns, false).text);
        buf_addf(&text, cut > 0 ? _("sent: %s") : _("sent: %1$s of %2$s"),
                 word_bytes(t.sent.now).text, word_bytes(t.sent.total).text);
        if (put_before(c, x + GAP, at.x + at.width, at.y, &text, quiet))
            break;
    }
    l->view = view_choose(&l->scene, picture);
    if (view_loss(l->view, &l->scene, picture) >= BLOCK_BAR)
        l->view = &view_heat;
    if (l->view == &view_heat)
        heat_strip(&l->scene, c, picture);
    else
        view_draw(l->view, &l->scene, c, picture);
}

/* Draws the lanes in the order of their places, then those that have not
 * finished, and how many times as long as the first each took, in the place of
 * a lane, if that has room for all. */
static void
draw_ranking(const struct lanes *l, struct canvas *c, struct rect at)
{
    int64_t first = 0;
    int y = at.y + 1;

    if (at.height <= l->n || at.width < RANKING_LEAST)
        return;
    canvas_puts_within(c, at.x, at.y, at.width, _("ranking"), plain);
    for (int place = 1; place <= l->n + 1; place++)
        for (int i = 0; i < l->n; i++) {
            const struct lane *lane = &l->all[i];
            struct pen pen = place == 1        ? strong
                             : place <= l->n ? plain
                                             : quiet;
            if (lane->place != place % (l->n + 1))
                continue;
            first = place == 1 ? lane->of_ns : first;
            canvas_puts_within(c, at.x, y, RANKING_NAME, lane->name, pen);
            if (lane->place > 0 && at.width >= RANKING_COLUMNS)
                canvas_putf(c, at.x + RANKING_NAME, y, pen, "%2d%11s", place,
                            word_ns(lane->of_ns, false).text);
            if (lane->place > 0)
                canvas_putf(c, at.x + least(at.width, RANKING_COLUMNS) - 7, y,
                            pen, "%6.1fx",
                            (double)lane->of_ns / (double)most64(first, 1));
            y++;
        }
}

/* The place of a lane, with its rules.  All lanes are side by side if they are
 * wide enough, or if two rows of them would be too low; else half of them, or
 * as many as fit. */
static struct rect
place_lane(int i, int n, const struct canvas *c)
{
    int top = TITLE_ROWS + n + 1 + (c->rows >= ROWS_AIRY);
    int rows = c->rows - top - KEYS_ROWS;
    int half = n > 2 ? (n + 1) / 2 : n, columns = c->columns;
    int a_row = columns / n >= COLUMNS_ROOMY ||
                        (columns / n >= COLUMNS_LOW && rows / 2 < ROWS_ROOMY)
                    ? n
                : columns / half >= COLUMNS_LEAST ? half
                                                  : columns / COLUMNS_LEAST;
    int down = (n + a_row - 1) / a_row;
    int width = columns / a_row, height = rows / down;

    return (struct rect){i % a_row * width, top + i / a_row * height, width,
                         height - (down > 1)};
}

void
lanes_draw(struct lanes *l, struct canvas *c)
{
    const struct scene *first = &l->all[0].scene;
    const struct key_line keys = {
        .on = ON_RACE, .state = l->playing ? KEY(PLAYING) : 0,
        .speed = l->speed};
    OWN(buf) network = {0};
    int end = c->columns - 1; /* the title gives way to the network */

    canvas_clear(c, (struct rect){0, 0, c->columns, c->rows});
    c->moves = false;
    if (frame_too_small(c, LAYOUT_COLUMNS_FULL, LAYOUT_ROWS_FULL - 1))
        return;
    text_network(first->world, &network);
    put_before(c, 1, end, 0, &network, quiet);
    if (network.length > 0)
        end -= utf8_columns(buf_text(&network)) + GAP;
    canvas_puts_within(c, 1, 0, end - 1, l->title,
                       (struct pen){.fg = ROLE_ACCENT, .attrs = ATTR_BOLD});
    draw_track(l, c);
    for (int i = 0; i < l->n + l->n % 2; i++) {
        struct rect all = place_lane(i, l->n, c), at;
        if (all.x + all.width > c->columns || all.y + all.height > c->rows)
            break; /* there is no place for a ranking */
        for (int y = 0; all.x > 0 && y < all.height; y++)
            canvas_glyph(c, all.x, all.y + y, GLYPH_VERTICAL, quiet);
        if (all.y > place_lane(0, l->n, c).y)
            canvas_fill(c, all.x, all.y - 1, all.width,
                        glyph(c->glyphs, GLYPH_HORIZONTAL), quiet);
        at = (struct rect){all.x + 1, all.y, all.width - 2, all.height};
        if (i < l->n)
            draw_lane(&l->all[i], c, at);
        else
            draw_ranking(l, c, at);
    }
    c->moves = true; /* the bars */
    if (l->slower > 0) { /* the keys in the last row, and the speed */
        int y = c->rows - KEYS_ROWS, x = keys_draw(&keys, c, 1, y);
        OWN(buf) text = {0};
        buf_addf(&text, _("each second shows %s"),
                 word_ns(whole(1e9 / l->slower), false).text);
        put_before(c, x, c->columns - 1, y, &text, quiet);
    }
}

/* The race. */

enum { SPEED_MOST = 5 };
/* How long the slowest run takes on the screen, at speed 0. */
static const double slowest_takes_ns = 12e9;

struct race {
    struct comparison *of;
    struct window window;
    struct lanes lanes; /* as they were drawn last, with the clock */
    double *ends[COMPARE_MAX]; /* by step, from 0: when it ended, in ns */
    double longest;            /* duration of the slowest run, in ns */
    double now;                /* time in the race, in ns */
    int64_t moved_ns; /* the clock when `now` was last advanced */
};

static struct session *
session_of(const struct race *r, int i)
{
    return &r->of->entrants[i].job->session;
}

/* When each step ended.  The times come from a run with events, and are scaled
 * to the duration of the run without them. */
static double *
step_ends(const struct world *w, double ns)
{
    double *ends = mem_new((size_t)w->nsteps + 1, sizeof *ends);
    int64_t begin = INT64_MAX, end = 0;

    for (int step = 1; step <= w->nsteps; step++) {
        for (size_t i = 0; i < w->steps[step].count; i++) {
            const struct event *e = &w->steps[step].events[i];
            begin = e->begin_ns < begin ? e->begin_ns : begin;
            end = e->end_ns > end ? e->end_ns : end;
        }
        ends[step] = (double)end;
    }
    for (int step = 1; step <= w->nsteps; step++)
        ends[step] = end > begin ? (ends[step] - (double)begin) /
                                       (double)(end - begin) * ns
                                 : ns;
    return ends;
}

static double
slowdown_of(const struct race *r)
{
    return ldexp(slowest_takes_ns / (r->longest > 0 ? r->longest : 1),
                 -r->lanes.speed);
}

/* Whether entrant i is before entrant k on the race's clock. */
static bool
is_before(const struct race *r, int i, int k)
{
    const struct entrant *all = r->of->entrants;

    return r->of->modelled ? all[i].race_ns < all[k].race_ns
                           : compare_is_faster(&all[i], &all[k]);
}

/* A lane, with its place once it has finished, and what it is level with. */
static struct lane
lane_of(const struct race *r, int i)
{
    const struct entrant *all = r->of->entrants, *e = &all[i];
    struct world *w = session_of(r, i)->world;
    bool finished = e->race_ns <= r->now;
    struct lane lane;
    int step = 0;

    while (step < w->nsteps && r->ends[i][step + 1] <= r->now)
        step++;
    world_seek(w, step);
    lane = (struct lane){
        .scene = {.world = w, .view = -1},
        .name = _(e->job->schedule->algorithm),
        .chunks = e->plan->chunks,
        .ns = whole(fmin(r->now, e->race_ns)),
        .of_ns = whole(e->race_ns),
        .here_ns = r->of->modelled ? whole(e->measured_ns) : 0,
        .place = finished,
    };
    for (int k = 0; k < r->of->nentrants; k++) {
        bool before = is_before(r, k, i);
        lane.place += finished && before;
        lane.level |= k != i && !before && !is_before(r, i, k);
        lane.here_level |= k != i && !compare_is_faster(e, &all[k]) &&
                           !compare_is_faster(&all[k], e);
    }
    return lane;
}

static bool
race_draw(void *self, struct canvas *c)
{
    struct race *r = self;
    OWN(buf) title = {0};

    compare_title(r->of, true, &title);
    r->lanes.title = buf_text(&title);
    r->lanes.n = r->of->nentrants;
    r->lanes.slower = slowdown_of(r);
    for (int i = 0; i < r->lanes.n; i++)
        r->lanes.all[i] = lane_of(r, i);
    lanes_draw(&r->lanes, c);
    return true;
}

/* Its keys, and the views in the lanes. */
static struct help
race_help(void *self, const struct canvas *c)
{
    const struct race *r = self;
    struct help h = {.on = ON_RACE,
                     .state = r->lanes.playing ? KEY(PLAYING) : 0};

    (void)c;
    for (int i = 0; i < r->lanes.n; i++)
        if (r->lanes.all[i].view != NULL)
            h.views[h.nviews++] = r->lanes.all[i].view;
    return h;
}

static bool
move_clock(void *self, int64_t now, struct err *err)
{
    struct race *r = self;

    (void)err;
    if (r->lanes.playing)
        r->now += (double)(now - r->moved_ns) / slowdown_of(r);
    r->moved_ns = now;
    if (r->now >= r->longest) {
        r->now = r->longest;
        r->lanes.playing = false;
    }
    return true;
}

/* Goes to the time at which the next step of any run ends, or with `by` below 0
 * the step before ended, so many times. */
static void
move_by_steps(struct race *r, int by)
{
    bool ahead = by > 0;
    double to = ahead ? r->longest : 0;

    r->lanes.playing = false;
    for (int i = 0; i < r->of->nentrants; i++)
        for (int step = 1; step <= session_of(r, i)->world->nsteps; step++) {
            double end = r->ends[i][step];
            if (ahead ? end > r->now && end < to : end < r->now && end > to)
                to = end;
        }
    r->now = to;
    if (abs(by) > 1)
        move_by_steps(r, by - (ahead ? 1 : -1));
}

static bool
race_request(void *self, int request, struct err *err)
{
    struct race *r = self;

    move_clock(r, clock_ns(), err);
    switch (request) {
    case DO_BACK:
    case DO_NEXT:
    case DO_PAGE_BACK:
    case DO_PAGE_NEXT:
        move_by_steps(r, keys_by(request));
        break;
    case DO_PLAY:
        if (r->now >= r->longest)
            r->now = 0;
        r->lanes.playing = !r->lanes.playing;
        break;
    case DO_FIRST:
        r->now = 0;
        r->lanes.playing = true;
        break;
    case DO_LAST:
        r->now = r->longest;
        break;
    case DO_FASTER:
        r->lanes.speed += r->lanes.speed < SPEED_MOST;
        break;
    case DO_SLOWER:
        r->lanes.speed -= r->lanes.speed > -SPEED_MOST;
        break;
    default:
        window_answer(&r->window, request);
    }
    return true;
}

static struct pause
race_pause(const void *self, int64_t now)
{
    const struct race *r = self;

    (void)now;
    return (struct pause){.due_ns = INT64_MAX, .fd = -1,
                          .moves = r->lanes.playing};
}

bool
race(struct comparison *c, bool ascii, struct err *err)
{
    static const struct window_kind kind = {
        .accent = ROLE_WATCH, .draw = race_draw, .help = race_help,
        .request = race_request, .advance = move_clock, .pause = race_pause};
    struct race r = {.of = c, .lanes.playing = true};
    bool ok = true;

    for (int i = 0; ok && i < c->nentrants; i++) {
        struct entrant *e = &c->entrants[i];
        ok = job_start(e->job, true, err) &&
             play_through(&e->job->session, true, err);
        if (ok)
            r.ends[i] = step_ends(e->job->session.world, e->race_ns);
        r.longest = fmax(r.longest, e->race_ns);
    }
    r.moved_ns = clock_ns();
    if (ok && signals_ending() == 0)
        ok = window_run(&r.window, NULL, ascii, &kind, &r, err);
    for (int i = 0; i < c->nentrants; i++)
        free(r.ends[i]);
    return ok;
}
