/* SPDX-License-Identifier: MIT */
#include "schedule/trail.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static size_t
cells_of(const struct trail *t)
{
    return (size_t)t->schedule->nranks * (size_t)t->schedule->nslots;
}

static bool *
cell(const struct trail *t, int step, int rank, int slot)
{
    return t->has + (size_t)step * cells_of(t) +
           (size_t)rank * (size_t)t->schedule->nslots + slot;
}

/* A slot keeps what it has, unless the step copies to it, and gets what is
 * copied or added to it.  It goes backwards: a copy comes before what is added
 * to it. */
static void
follow(struct trail *t, int step)
{
    size_t count;
    const struct transfer *x = schedule_transfers(t->schedule, step, &count);

    memcpy(cell(t, step, 0, 0), cell(t, step - 1, 0, 0), cells_of(t));
    for (size_t i = count; i-- > 0;)
        for (int k = 0; k < x[i].nslots; k++)
            *cell(t, step, x[i].dst, x[i].dst_slot + k) =
                x[i].op == TRANSFER_REDUCE &&
                *cell(t, step - 1, x[i].dst, x[i].add_slot + k);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < x[i].nslots; k++)
            if (*cell(t, step - 1, x[i].src, x[i].src_slot + k))
                *cell(t, step, x[i].dst, x[i].dst_slot + k) = true;
}

void
trail_back(const struct schedule *s, int step, const bool *after, bool *before)
{
    size_t count, nslots = (size_t)s->nslots;
    const struct transfer *t = schedule_transfers(s, step, &count);

    memcpy(before, after, (size_t)s->nranks * nslots);
    for (size_t i = count; i-- > 0;)
        for (int k = 0; k < t[i].nslots; k++) {
            size_t dst = (size_t)t[i].dst * nslots + t[i].dst_slot + k;
            before[dst] = after[dst] && t[i].op == TRANSFER_REDUCE &&
                          t[i].add_slot == t[i].dst_slot;
        }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++) {
            if (!after[(size_t)t[i].dst * nslots + t[i].dst_slot + k])
                continue;
            before[(size_t)t[i].src * nslots + t[i].src_slot + k] = true;
            if (t[i].op == TRANSFER_REDUCE && t[i].add_slot != t[i].dst_slot)
                before[(size_t)t[i].dst * nslots + t[i].add_slot + k] = true;
        }
}

struct trail *
trail_new(const struct schedule *s, int rank, int slot, int step)
{
    size_t states = (size_t)s->nsteps + 1;
    struct trail *t;

    if ((size_t)s->nranks * (size_t)s->nslots > TRAIL_CELLS_MOST / states)
        return NULL;
    t = mem_new(1, sizeof *t);
    *t = (struct trail){schedule_share(s), rank, slot, step, NULL};
    t->has = mem_new(states * cells_of(t), sizeof *t->has);
    *cell(t, step, rank, slot) = true;
    for (int k = step; k > 0; k--)
        trail_back(s, k, cell(t, k, 0, 0), cell(t, k - 1, 0, 0));
    for (int k = step + 1; k <= s->nsteps; k++)
        follow(t, k);
    return t;
}

void
trail_free(struct trail *t)
{
    if (t == NULL)
        return;
    schedule_free(t->schedule);
    free(t->has);
    free(t);
}

bool
trail_has(const struct trail *t, int step, int rank, int slot)
{
    return *cell(t, step, rank, slot);
}

bool
trail_carries(const struct trail *t, int step,
              const struct transfer *transfer)
{
    for (int k = 0; k < transfer->nslots; k++)
        if (trail_has(t, step - 1, transfer->src, transfer->src_slot + k) &&
            trail_has(t, step, transfer->dst, transfer->dst_slot + k))
            return true;
    return false;
}

bool
trail_ends(const struct trail *t, int step, const struct transfer *transfer)
{
    for (int k = 0; k < transfer->nslots; k++)
        if (trail_has(t, step - 1, transfer->dst, transfer->dst_slot + k) &&
            !trail_has(t, step, transfer->dst, transfer->dst_slot + k))
            return true;
    return false;
}
