/* SPDX-License-Identifier: MIT */
#include "play/player.h"

#include <stdlib.h>

#include "base/bounds.h"
#include "base/clock.h"
#include "base/mem.h"

enum { FLIGHT_MS = 900, REST_MS = PLAYER_STEP_MS - FLIGHT_MS };
#define WAY 0.7 /* of the flight; then the slot takes the data in */
enum { PUMP_MS = 8 }; /* at most, before keys are read again */
enum { PART_TRANSFERS = 1 << 16 }; /* at a time, but at least one step */
#define NO_EVENT SIZE_MAX

void
player_init(struct player *p, struct session *session)
{
    *p = (struct player){.session = session, .target = -1};
}

static void
end_flights(struct player *p)
{
    free(p->flights);
    free(p->departures);
    p->flights = NULL;
    p->departures = NULL;
    p->nflights = 0;
    p->step = 0;
}

void
player_done(struct player *p)
{
    end_flights(p);
}

/* The duration of a part of a step at the current speed. All parts are longer
 * if the step takes long to read. */
static int64_t
scale_duration(const struct player *p, int64_t ms)
{
    int64_t ns = ms * 1000000;
    int64_t least = p->speed > 0 ? 0 : p->reading_ns / PLAYER_STEP_MS * ms;

    ns = p->speed >= 0 ? ns >> p->speed : ns << -p->speed;
    return ns > least ? ns : least;
}

static void
launch_step(struct player *p, int step, int64_t now)
{
    const struct schedule *s = p->session->world->schedule;
    const struct transfer *t;

    end_flights(p);
    p->step = step;
    p->asked_ns = now;
    p->reading_ns = 0;
    p->seen = 0;
    t = schedule_transfers(s, step, &p->nflights);
    p->flights = mem_new(p->nflights, sizeof *p->flights);
    p->departures = mem_new(p->nflights, sizeof *p->departures);
    for (size_t i = 0; i < p->nflights; i++) {
        p->flights[i].transfer = &t[i];
        p->departures[i].event = NO_EVENT;
    }
    if (p->playing && p->reading != NULL)
        p->reading_ns = p->reading(p->reader);
}

/* Events mostly come in the schedule's order, so the search starts at the last
 * one. */
static void
match_event(struct player *p, size_t index, size_t *hint, int64_t now)
{
    const struct event *e =
        &p->session->world->steps[p->step].events[index];

    for (size_t k = 0; k < p->nflights && e->slice == 0; k++) {
        size_t i = (*hint + k) % p->nflights;
        if (p->departures[i].event != NO_EVENT ||
            !event_is_of(e, p->flights[i].transfer))
            continue;
        p->departures[i] = (struct departure){index, now};
        *hint = i + 1;
        return;
    }
}

static void
move_flights(struct player *p, int64_t now)
{
    const struct world_step *step = &p->session->world->steps[p->step];
    size_t hint = 0;

    while (p->seen < step->count)
        match_event(p, p->seen++, &hint, now);
    for (size_t i = 0; i < p->nflights; i++) {
        struct flight *f = &p->flights[i];
        const struct departure *d = &p->departures[i];
        double part = (double)(now - d->left_ns) /
                      (double)scale_duration(p, FLIGHT_MS);
        double x = part / WAY;
        if (d->event == NO_EVENT)
            continue;
        f->event = &step->events[d->event]; /* events[] may have moved */
        f->progress = x >= 1 ? 1 : x * x * (3 - 2 * x); /* eased */
        f->landing = part < WAY ? 1 : part < 1 ? (1 - part) / (1 - WAY) : 0;
    }
}

static void
rest_at(struct player *p, int step, int64_t now)
{
    end_flights(p);
    world_seek(p->session->world, step);
    p->rest_ns = now;
}

void
player_next(struct player *p, int64_t now)
{
    struct world *w = p->session->world;

    if (w->schedule == NULL)
        return;
    p->target = -1;
    if (p->step > 0 && !world_step_complete(w, p->step))
        return;
    if (p->step > 0)
        rest_at(p, p->step, now);
    if (w->position < w->nsteps)
        launch_step(p, w->position + 1, now);
}

void
player_back(struct player *p)
{
    struct world *w = p->session->world;

    p->playing = false;
    p->target = -1;
    if (p->step > 0)
        end_flights(p);
    else if (w->position > 0)
        world_seek(w, w->position - 1);
}

void
player_go(struct player *p, int step)
{
    struct world *w = p->session->world;

    if (w->schedule == NULL)
        return;
    end_flights(p);
    p->playing = false;
    p->target = within(step, 0, w->nsteps);
    p->asked_ns = clock_ns();
}

void
player_play(struct player *p, int64_t now)
{
    struct world *w = p->session->world;

    p->playing = !p->playing;
    p->target = -1;
    if (p->playing && p->step == 0 && w->position == w->nsteps)
        world_seek(w, 0);
    p->reading_ns = 0;
    p->rest_ns = now - scale_duration(p, REST_MS);
}

void
player_faster(struct player *p, int by)
{
    p->speed = within(p->speed + by, -PLAYER_SPEED_MOST, PLAYER_SPEED_MOST);
}

/* The step to grant next; the last one granted if there is none.  A run needs
 * memory for all events of the steps it is granted, so in lockstep a long way
 * is granted in parts. */
static int
next_grant(const struct player *p)
{
    const struct world *w = p->session->world;
    int to = p->step > p->target ? p->step : p->target;
    int step = p->session->granted;
    size_t count = 0;

    if (w->schedule == NULL)
        return step;
    if (w->run->free || w->nsteps == 0)
        return w->nsteps;
    if (to <= step || to <= 0)
        return step;
    for (step = step < 0 ? 0 : step; step < to && count < PART_TRANSFERS;)
        count += w->schedule->steps[step++].count;
    return step;
}

/* Grants the steps to be shown next, once all items of the earlier ones have
 * arrived. */
static bool
grant_next(struct player *p, struct err *err)
{
    int step = next_grant(p);

    if (!p->caught_up || step <= p->session->granted)
        return true;
    p->caught_up = false;
    return session_grant(p->session, step, err);
}

static bool
pump_session(struct player *p, struct err *err)
{
    enum run_got got =
        session_pump(p->session, clock_ns() + PUMP_MS * 1000000, err);

    p->caught_up = got == RUN_CAUGHT_UP;
    p->more = got == RUN_ITEM ||
              (p->caught_up && next_grant(p) > p->session->granted &&
               p->session->run != NULL);
    return got != RUN_FAILED;
}

bool
player_advance(struct player *p, int64_t now, struct err *err)
{
    struct world *w = p->session->world;
    size_t landed = 0;
    int known;

    if (!world_step_complete(w, 0)) /* what is asked for has to wait */
        p->asked_ns = now;
    if (!pump_session(p, err))
        return false;
    if (w->schedule == NULL)
        return true;
    if (p->playing && p->step == 0 && p->target < 0) {
        if (w->position == w->nsteps)
            p->playing = false;
        else if (now - p->rest_ns >= scale_duration(p, REST_MS))
            launch_step(p, w->position + 1, now);
    }
    if (!grant_next(p, err) || !pump_session(p, err))
        return false;
    if (p->target >= 0) {
        known = world_complete_steps(w);
        rest_at(p, p->target < known ? p->target : known, now);
        if (w->position == p->target)
            p->target = -1;
    }
    if (p->step > 0) {
        move_flights(p, now);
        while (landed < p->nflights && flight_is_over(&p->flights[landed]))
            landed++;
        if (landed == p->nflights)
            rest_at(p, p->step, now);
    }
    return true;
}

int64_t
player_awaited(const struct player *p, int64_t now)
{
    const struct world *w = p->session->world;
    bool awaits = world_step_complete(w, 0) && !w->has_end &&
                  ((p->step > 0 && !world_step_complete(w, p->step)) ||
                   p->target > w->position);

    return awaits ? now - p->asked_ns : 0;
}

void
player_show(const struct player *p, int64_t now, struct scene *s)
{
    s->world = p->session->world;
    s->step = p->step;
    s->target = p->target;
    s->flights = p->flights;
    s->nflights = p->nflights;
    s->awaited_ns = player_awaited(p, now);
    s->note = session_note(p->session);
}

bool
player_moves(const struct player *p)
{
    for (size_t i = 0; i < p->nflights; i++)
        if (p->flights[i].event != NULL && !flight_is_over(&p->flights[i]))
            return true;
    return false;
}

int64_t
player_due(const struct player *p, int64_t now)
{
    const struct world *w = p->session->world;
    int64_t due = INT64_MAX;

    if (p->more)
        return now;
    for (size_t i = 0; i < p->nflights; i++) {
        int64_t lands = p->departures[i].left_ns + scale_duration(p, FLIGHT_MS);
        if (p->flights[i].event != NULL && lands > now && lands < due)
            due = lands;
    }
    if (p->playing && p->step == 0 && p->target < 0 &&
        w->position < w->nsteps)
        due = p->rest_ns + scale_duration(p, REST_MS);
    return due;
}
