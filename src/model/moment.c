/* SPDX-License-Identifier: MIT */
#include "model/moment.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static size_t
cells_of(const struct moment *m)
{
    const struct schedule *s = m->scene->world->schedule;

    return (size_t)s->nranks * (size_t)s->nslots;
}

static const uint64_t **
row_at(const struct moment *m, int rank, int slot)
{
    return m->rows +
           (size_t)rank * (size_t)m->scene->world->schedule->nslots + slot;
}

void
moment_init(struct moment *m, const struct scene *s)
{
    const struct world *w = s->world;

    *m = (struct moment){.scene = s, .step = w->position};
    m->rows = mem_new(cells_of(m), sizeof *m->rows);
    for (int rank = 0; rank < w->schedule->nranks; rank++)
        for (int slot = 0; slot < w->schedule->nslots; slot++)
            *row_at(m, rank, slot) = world_row(w, rank, slot);
}

void
moment_done(struct moment *m)
{
    free(m->rows);
}

static void
set_rows(const struct moment *m, const struct event *e)
{
    size_t words =
        (size_t)content_words(m->scene->world->schedule->nranks);

    for (int k = 0; e->content != NULL && k < e->nslots; k++)
        *row_at(m, e->dst, e->dst_slot + k) = e->content + (size_t)k * words;
}

/* The events of a step that was applied carry what slots held before it. */
void
moment_go_back(struct moment *m)
{
    const struct world_step *known = &m->scene->world->steps[m->step--];

    for (size_t i = known->count; i-- > 0;)
        set_rows(m, &known->events[i]);
}

void
moment_fly(struct moment *m)
{
    const struct scene *s = m->scene;

    m->step++;
    for (size_t i = 0; i < s->nflights; i++) {
        const struct transfer *t = s->flights[i].transfer;
        for (int k = 0; k < t->nslots; k++)
            *row_at(m, t->dst, t->dst_slot + k) = NULL;
    }
    for (size_t i = 0; i < s->nflights; i++)
        if (flight_landed(&s->flights[i]))
            set_rows(m, s->flights[i].event);
}

void
moment_look_ahead(struct moment *m)
{
    m->step++;
    memset(m->rows, 0, cells_of(m) * sizeof *m->rows);
}

const uint64_t *
moment_row(const struct moment *m, int rank, int slot)
{
    return *row_at(m, rank, slot);
}
