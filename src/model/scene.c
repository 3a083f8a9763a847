/* SPDX-License-Identifier: MIT */
#include "model/scene.h"

#include <stdio.h>

#include "base/translate.h"
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

bool
scene_names_sums(const struct scene *s, int step)
{
    return step >= s->world->sums_from;
}

int
scene_fault(const struct scene *s, const struct transfer *t)
{
    int step = scene_step(s);
    const struct world_step *p = &s->world->steps[step];

    for (size_t i = 0; s->world->faulty && step > 0 && i < p->count; i++)
        if (p->events[i].fault != FAULT_NONE && p->events[i].src == t->src &&
            p->events[i].dst == t->dst)
            return p->events[i].fault;
    return FAULT_NONE;
}

char
scene_change_mark(const struct scene *s, const struct transfer *t)
{
    if (scene_fault(s, t) != 0)
        return '!';
    return t->op == TRANSFER_REDUCE ? '+' : '=';
}

static void
each_landed(const struct scene *s, scene_change *draw, const void *context)
{
    size_t words = (size_t)content_words(s->world->schedule->nranks);

    for (size_t i = 0; i < s->nflights; i++) {
        const struct flight *f = &s->flights[i];
        const struct event *e = f->event;
        if (!flight_landed(f) || e->content == NULL)
            continue;
        for (int k = 0; k < e->nslots; k++)
            draw(context, e->dst, e->dst_slot + k,
                 e->content + (size_t)k * words,
                 scene_change_mark(s, f->transfer));
    }
}

void
scene_each_change(const struct scene *s, scene_change *draw,
                  const void *context)
{
    const struct world *w = s->world;
    size_t count;
    const struct transfer *t =
        schedule_transfers(w->schedule, w->position, &count);

    if (s->step > 0) {
        each_landed(s, draw, context);
        return;
    }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++)
            draw(context, t[i].dst, t[i].dst_slot + k,
                 world_row(w, t[i].dst, t[i].dst_slot + k),
                 scene_change_mark(s, &t[i]));
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
        if (!flight_landed(f) || f->landing <= 0 || e->content == NULL ||
            e->fault != FAULT_NONE)
            continue;
        for (int k = 0; k < e->nslots; k++) {
            int from = t->src_slot + e->dst_slot - t->dst_slot + k;
            int to = e->dst_slot + k;
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

bool
scene_slot_is_wrong(const struct scene *s, int rank, int slot)
{
    const struct world *w = s->world;
    struct contribution parts[LEDGER_RANKS];
    const struct outlook_slot *expected;
    int count, chunk, ranks = 0;

    if (!w->faulty || w->outlook == NULL)
        return false;
    expected = outlook_slot(w->outlook, w->position, rank, slot);
    chunk = expected->chunk == OUTLOOK_MIXED ? -1 : expected->chunk;
    count = scene_contributions(w, world_row(w, rank, slot), parts);
    for (int i = 0; i < count; i++) {
        ranks |= 1 << parts[i].rank;
        if (parts[i].times != 1 || parts[i].chunk != chunk)
            return true;
    }
    return ranks != expected->ranks;
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

const char *
scene_rank_name(int rank, char text[SCENE_NAME_MAX])
{
    snprintf(text, SCENE_NAME_MAX, _("GPU %d"), rank);
    return text;
}
