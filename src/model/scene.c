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
flight_landed(const struct flight *f)
{
    return f->event != NULL && f->progress >= 1.0;
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
