/* SPDX-License-Identifier: MIT */
#include "model/scene.h"

#include "schedule/program.h"

int
scene_step(const struct scene *s)
{
    return s->step > 0 ? s->step : s->world->position;
}

int
scene_step_of(const struct scene *s, const struct event *e)
{
    return e->step < s->world->nsteps ? e->step : s->world->nsteps;
}

int
scene_fault_arrived(const struct scene *s, size_t i)
{
    size_t count;
    const struct transfer *t =
        schedule_transfers(s->world->schedule, scene_step(s), &count);
    bool flies = s->step > 0 &&
                 (i >= s->nflights || !flight_landed(&s->flights[i]));

    return i < count && !flies ? world_fault(s->world, scene_step(s), &t[i])
                               : FAULT_NONE;
}

bool
scene_landing(const struct scene *s, int rank, int slot, struct landing *l)
{
    const struct world *w = s->world;
    bool lands = false;

    for (size_t i = 0; s->step > 0 && i < s->nflights; i++) {
        const struct flight *f = &s->flights[i];
        const struct event *e = f->event;
        const uint64_t *after = flight_landed(f) && f->landing > 0
                                    ? world_content(w, e, rank, slot) : NULL;
        if (after == NULL || world_is_wrong(w, s->step, rank, slot))
            continue;
        lands = true;
        *l = (struct landing){
            .before = world_row(w, rank, slot),
            .brought = world_row(w, e->src, f->transfer->src_slot + slot -
                                                f->transfer->dst_slot),
            .after = after, .adds = f->transfer->op == TRANSFER_REDUCE,
            .left = f->landing};
    }
    return lands;
}

struct lost
scene_lost(const struct scene *s, int step, int rank, int slot,
           const uint64_t *row)
{
    const struct world *w = s->world;
    const struct ledger_entry *has = (const struct ledger_entry *)row;
    const struct outlook_slot *expected;
    struct lost lost = {0, 0};

    if (w->outlook == NULL || !world_is_wrong(w, step, rank, slot))
        return lost;
    expected = outlook_slot(w->outlook, step, rank, slot);
    if (expected->chunk == OUTLOOK_MIXED)
        return lost;
    lost = (struct lost){expected->ranks, expected->chunk};
    for (int i = 0; i < w->schedule->nranks; i++)
        if (has[i].times > 0 && has[i].chunk == lost.chunk)
            lost.ranks &= ~(1u << i);
    return lost;
}

bool
scene_asks_about(const struct scene *s, int *rank, int *slot)
{
    const struct schedule *schedule = s->world->schedule;

    if (s->asked == NULL || s->asked->rank < 0 || schedule == NULL)
        return false;
    *rank = s->asked->rank;
    *slot = s->asked->slot + schedule_outputs(schedule).first;
    return *rank < schedule->nranks && *slot < schedule->nslots;
}

bool
scene_fades(const struct scene *s, int step, int rank, int slot)
{
    return s->trail != NULL && !trail_has(s->trail, step, rank, slot);
}

bool
scene_fades_transfer(const struct scene *s, int step,
                     const struct transfer *t)
{
    return s->trail != NULL && !trail_carries(s->trail, step, t);
}

bool
flight_landed(const struct flight *f)
{
    return f->event != NULL && f->progress >= 1.0;
}

bool
flight_is_over(const struct flight *f)
{
    return flight_landed(f) && f->landing <= 0;
}

const uint64_t *
scene_row(const struct scene *s, int step, int rank, int slot)
{
    const struct world *w = s->world;
    const uint64_t *row = world_row(w, rank, slot), *landed = NULL, *at;

    if (step >= 0 && step <= w->position)
        return world_row_at(w, rank, slot, step);
    if (step >= 0 && step != s->step)
        return NULL;
    for (size_t i = 0; i < s->nflights; i++) {
        const struct flight *f = &s->flights[i];
        const struct transfer *t = f->transfer;
        if (t->dst != rank || slot < t->dst_slot ||
            slot >= t->dst_slot + t->nslots)
            continue;
        if (flight_landed(f) &&
            (at = world_content(w, f->event, rank, slot)) != NULL)
            landed = at;
        row = step >= 0 ? NULL : row;
    }
    return landed != NULL ? landed : row;
}
