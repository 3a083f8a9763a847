/* SPDX-License-Identifier: MIT */
#include "model/damage.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schedule/program.h"

static size_t
cells_of(const struct schedule *s)
{
    return (size_t)s->nranks * (size_t)s->nslots;
}

struct damage *
damage_new(const struct schedule *s)
{
    size_t states = (size_t)s->nsteps + 1;
    struct damage *d;

    if (cells_of(s) > DAMAGE_CELLS_MOST / states)
        return NULL;
    d = mem_new(1, sizeof *d);
    d->schedule = s;
    d->wrong = mem_new(cells_of(s) * states, sizeof *d->wrong);
    return d;
}

void
damage_free(struct damage *d)
{
    if (d == NULL)
        return;
    free(d->wrong);
    free(d);
}

static bool *
slot_at(const struct damage *d, int step, int rank, int slot)
{
    return d->wrong + (size_t)step * cells_of(d->schedule) +
           (size_t)rank * (size_t)d->schedule->nslots + slot;
}

int
damage_fault(const struct event *events, size_t count,
             const struct transfer *t)
{
    for (size_t i = 0; i < count; i++)
        if (events[i].fault != FAULT_NONE && events[i].src == t->src &&
            events[i].dst == t->dst && events[i].dst_slot >= t->dst_slot &&
            events[i].dst_slot < t->dst_slot + t->nslots)
            return events[i].fault;
    return FAULT_NONE;
}

/* Whether the data of a transfer had another length where it came from. */
static bool
is_torn(const struct event *events, size_t count, const struct transfer *t)
{
    for (size_t i = 0; i < count; i++)
        if (events[i].torn && events[i].src == t->src &&
            events[i].dst == t->dst && events[i].dst_slot >= t->dst_slot &&
            events[i].dst_slot < t->dst_slot + t->nslots)
            return true;
    return false;
}

/* Several reductions into one slot add to the same operand, so only the first
 * of them starts from it: `fresh` marks the slots that the step has not written
 * yet. */
static void
add_transfer(struct damage *d, int step, const struct transfer *t, int fault,
             bool torn, bool *fresh)
{
    bool adds = t->op == TRANSFER_REDUCE;
    bool hurts =
        torn || (fault != FAULT_NONE && (adds || fault != FAULT_REPEAT));

    for (int k = 0; k < t->nslots; k++) {
        bool *after = slot_at(d, step, t->dst, t->dst_slot + k);
        bool *first = &fresh[after - slot_at(d, step, 0, 0)];
        bool wrong = hurts || *slot_at(d, step - 1, t->src, t->src_slot + k);
        if (adds && *first)
            wrong |= *slot_at(d, step - 1, t->dst, t->add_slot + k);
        else if (adds)
            wrong |= *after;
        *after = wrong;
        *first = false;
    }
}

void
damage_add_step(struct damage *d, const struct event *events, size_t count)
{
    size_t cells = cells_of(d->schedule), ntransfers;
    int step = d->nsteps + 1;
    const struct transfer *t =
        schedule_transfers(d->schedule, step, &ntransfers);
    bool *fresh = mem_new(cells, sizeof *fresh);

    assert(step <= d->schedule->nsteps);
    memcpy(slot_at(d, step, 0, 0), slot_at(d, step - 1, 0, 0),
           cells * sizeof *d->wrong);
    memset(fresh, true, cells);
    for (size_t i = 0; i < ntransfers; i++)
        add_transfer(d, step, &t[i], damage_fault(events, count, &t[i]),
                     is_torn(events, count, &t[i]), fresh);
    free(fresh);
    d->nsteps = step;
}

void
damage_mark(struct damage *d, int step, int rank, int slot)
{
    *slot_at(d, step, rank, slot) = true;
}

bool
damage_has(const struct damage *d, int step, int rank, int slot)
{
    return step <= d->nsteps && *slot_at(d, step, rank, slot);
}
