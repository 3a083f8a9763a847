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

    return i < count && !flies ? world_fault(s->world, scene_step(s), &t[i]) : FAULT_NONE;
}

void
scene_each_landing(const struct scene *s, scene_landing *draw,
                   const void *context)
{
    size_t words = (size_t)content_words(s->world->schedule->nranks);

    for (size_t i = 0; s->step > 0 && i < s->nflights; i++) {
        const struct flight *f = &s->flights[i];
        const struct event *e = f->event;
        const struct transfer *t = f->transfer;
        if (!flight_landed(f) || f->landing <= 0 || e->content == NULL)
            continue;
        for (int k = 0; k < e->nslots; k++) {
            int from = t->src_slot + e->dst_slot - t->dst_slot + k;
            int to = e->dst_slot + k;
            if (world_is_wrong(s->world, s->step, e->dst, to))
                continue;
            struct landing l = {
                .rank = e->dst, .slot = to,
                .before = world_row(s->world, e->dst, to),
                .brought = world_row(s->world, e->src, from),
                .after = e->content + (size_t)k * words,
                .adds = t->op == TRANSFER_REDUCE, .left = f->landing};
            draw(context, &l);
        }
    }
}

struct lost
scene_lost(const struct scene *s, int step, int rank, int slot,
           const uint64_t *row)
{
    const struct world *w = s->world;
    struct contribution parts[LEDGER_RANKS];
    const struct outlook_slot *expected;
    struct lost lost = {0, 0};
    int count;

    if (w->outlook == NULL || !world_is_wrong(w, step, rank, slot))
        return lost;
    expected = outlook_slot(w->outlook, step, rank, slot);
    if (expected->chunk == OUTLOOK_MIXED)
        return lost;
    lost = (struct lost){expected->ranks, expected->chunk};
    count = scene_contributions(w, row, parts);
    for (int i = 0; i < count; i++)
        if (parts[i].chunk == lost.chunk)
            lost.ranks &= ~(1u << parts[i].rank);
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

int
scene_contributions(const struct world *w, const uint64_t *row,
                    struct contribution list[LEDGER_RANKS])
{
    const struct ledger_entry *entries = (const struct ledger_entry *)row;
    int count = 0;

    if (w->schedule->nranks > LEDGER_RANKS)
        return 0;
    for (int rank = 0; rank < w->schedule->nranks; rank++)
        if (entries[rank].times > 0)
            list[count++] = (struct contribution){
                .rank = rank,
                .times = entries[rank].times,
                .chunk = entries[rank].chunk == LEDGER_MIXED
                             ? -1
                             : entries[rank].chunk};
    return count;
}

bool
scene_contribution_faulty(const struct contribution *c)
{
    return c->times > 1 || c->chunk < 0;
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
