/* SPDX-License-Identifier: MIT */
#include "screen/race.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/signals.h"
#include "base/translate.h"
#include "base/whole.h"
#include "play/play.h"
#include "screen/stage.h"
#include "view/keys.h"
#include "view/lane.h"

enum { SPEED_MOST = 5 };
/* How long the slowest run takes on the screen, at speed 0. */
static const double slowest_takes_ns = 12e9;

struct race {
    struct comparison *of;
    struct stage stage;
    double *ends[COMPARE_MAX]; /* by step, from 0: when it ended, in ns */
    double longest;            /* duration of the slowest run, in ns */
    double now;                /* time in the race, in ns */
    bool playing;
    int speed; /* each +1 doubles it */
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
    int64_t begin, end, so_far = 0;

    compare_span(w, &begin, &end);
    for (int step = 1; step <= w->nsteps; step++) {
        for (size_t i = 0; i < w->steps[step].count; i++)
            so_far = w->steps[step].events[i].end_ns > so_far
                         ? w->steps[step].events[i].end_ns
                         : so_far;
        ends[step] = (double)so_far;
    }
    for (int step = 1; step <= w->nsteps; step++)
        ends[step] = end > begin ? (ends[step] - (double)begin) /
                                       (double)(end - begin) * ns
                                 : ns;
    return ends;
}

static bool
run_all(struct race *r, struct err *err)
{
    for (int i = 0; i < r->of->nentrants; i++) {
        struct entrant *e = &r->of->entrants[i];
        if (r->of->times != TIMES_SIMULATED && /* else it has run */
            (!job_start(e->job, true, err) ||
             !play_through(session_of(r, i), true, err)))
            return false;
        r->ends[i] = step_ends(session_of(r, i)->world, e->race_ns);
        if (e->race_ns > r->longest)
            r->longest = e->race_ns;
    }
    return true;
}

static double
slower(const struct race *r)
{
    double factor = slowest_takes_ns / (r->longest > 0 ? r->longest : 1);

    for (int i = 0; i < abs(r->speed); i++)
        factor = r->speed > 0 ? factor / 2 : factor * 2;
    return factor;
}

/* Whether entrant i is before entrant k on the race's clock. */
static bool
is_before(const struct race *r, int i, int k)
{
    const struct entrant *all = r->of->entrants;

    return r->of->times == TIMES_MODELLED
               ? all[i].race_ns < all[k].race_ns
               : compare_is_faster(&all[i], &all[k]);
}

/* Sets its place once it has finished, and what it is level with. */
static void
judge(const struct race *r, int i, struct lane *lane)
{
    const struct entrant *all = r->of->entrants;
    bool finished = all[i].race_ns <= r->now;

    lane->place = finished;
    for (int k = 0; k < r->of->nentrants; k++) {
        bool before = is_before(r, k, i);
        lane->place += finished && before;
        lane->level |= k != i && !before && !is_before(r, i, k);
        lane->here_level |= k != i && !compare_is_faster(&all[i], &all[k]) &&
                            !compare_is_faster(&all[k], &all[i]);
    }
}

static struct lane
lane_of(const struct race *r, int i)
{
    const struct entrant *e = &r->of->entrants[i];
    struct world *w = session_of(r, i)->world;
    struct lane lane;
    int step = 0;

    while (step < w->nsteps && r->ends[i][step + 1] <= r->now)
        step++;
    world_seek(w, step);
    lane = (struct lane){
        .scene = {.world = w, .glyphs = r->stage.glyphs,
                  .colourless = r->stage.colourless, .view = -1},
        .name = _(e->job->schedule->algorithm),
        .ns = whole(r->now < e->race_ns ? r->now : e->race_ns),
        .of_ns = whole(e->race_ns),
        .here_ns = r->of->times == TIMES_MODELLED ? whole(e->measured_ns)
                                                  : 0,
    };
    judge(r, i, &lane);
    return lane;
}

static void
set_lanes(const struct race *r, struct lane lanes[COMPARE_MAX])
{
    for (int i = 0; i < r->of->nentrants; i++)
        lanes[i] = lane_of(r, i);
}

static bool
draw(void *self, struct canvas *c)
{
    struct race *r = self;
    struct lane lanes[COMPARE_MAX];
    struct buf title = {0};

    set_lanes(r, lanes);
    compare_title(r->of, &title);
    lanes_draw(buf_text(&title), lanes, r->of->nentrants, c);
    buf_done(&title);
    lanes_draw_keys(lanes, slower(r), r->speed, r->playing, c);
    return true;
}

static struct help
help_of(void *self, const struct canvas *c)
{
    const struct race *r = self;
    struct lane lanes[COMPARE_MAX];

    set_lanes(r, lanes);
    return lanes_help(lanes, r->of->nentrants, c);
}

static bool
move_clock(void *self, int64_t now, struct err *err)
{
    struct race *r = self;

    (void)err;
    if (r->playing)
        r->now += (double)(now - r->moved_ns) / slower(r);
    r->moved_ns = now;
    if (r->now >= r->longest) {
        r->now = r->longest;
        r->playing = false;
    }
    return true;
}

/* Goes to the time at which the next step of any run ends, or with `by` below 0
 * the step before ended, so many times. */
static void
go_by(struct race *r, int by)
{
    bool ahead = by > 0;
    double to = ahead ? r->longest : 0;

    r->playing = false;
    for (int i = 0; i < r->of->nentrants; i++)
        for (int step = 1; step <= session_of(r, i)->world->nsteps; step++) {
            double end = r->ends[i][step];
            if (ahead ? end > r->now && end < to : end < r->now && end > to)
                to = end;
        }
    r->now = to;
    if (abs(by) > 1)
        go_by(r, by - (ahead ? 1 : -1));
}

static unsigned
state_of(void *self)
{
    const struct race *r = self;

    return r->playing ? KEY_PLAYING : 0;
}

static bool
answer(void *self, int request, struct err *err)
{
    struct race *r = self;

    move_clock(r, clock_ns(), err);
    switch (request) {
    case DO_BACK:
    case DO_NEXT:
    case DO_PAGE_BACK:
    case DO_PAGE_NEXT:
        go_by(r, keys_by(request));
        break;
    case DO_PLAY:
        if (r->now >= r->longest)
            r->now = 0;
        r->playing = !r->playing;
        break;
    case DO_FIRST:
        r->now = 0;
        r->playing = true;
        break;
    case DO_LAST:
        r->now = r->longest;
        break;
    case DO_FASTER:
        r->speed += r->speed < SPEED_MOST;
        break;
    case DO_SLOWER:
        r->speed -= r->speed > -SPEED_MOST;
        break;
    default:
        stage_answer(&r->stage, request);
    }
    return true;
}

static struct pause
wait_for(const void *self, int64_t now)
{
    const struct race *r = self;

    (void)now;
    return (struct pause){.due_ns = INT64_MAX, .fd = -1, .moves = r->playing};
}

bool
race(struct comparison *c, bool ascii, struct err *err)
{
    static const struct act act = {.accent = ROLE_WATCH, .draw = draw,
                                   .on = ON_RACE, .state = state_of,
                                   .request = answer, .advance = move_clock,
                                   .pause = wait_for, .help = help_of};
    struct race r = {.of = c, .playing = true};
    bool ok = run_all(&r, err);

    r.moved_ns = clock_ns();
    if (ok && signals_ending() == 0)
        ok = stage_run(&r.stage, NULL, ascii, &act, &r, err);
    for (int i = 0; i < c->nentrants; i++)
        free(r.ends[i]);
    return ok;
}
