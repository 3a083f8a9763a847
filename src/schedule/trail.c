/* SPDX-License-Identifier: MIT */
#include "schedule/trail.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static bool *
trail_cell(const struct trail *t, int step, int rank, int slot)
{
    const struct schedule *s = t->schedule;

    return t->has + schedule_cell(s, step * s->nranks + rank, slot);
}

/* The first pass goes backwards, so that a copy counts and not what is added to
 * it. */
void
trail_on(const struct schedule *s, int step, const bool *before, bool *after)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    memcpy(after, before, schedule_cell(s, s->nranks, 0));
    for (size_t i = count; i-- > 0;)
        for (int k = 0; k < t[i].nslots; k++)
            after[schedule_cell(s, t[i].dst, t[i].dst_slot + k)] =
                t[i].op == TRANSFER_REDUCE &&
                before[schedule_cell(s, t[i].dst, t[i].add_slot + k)];
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++)
            if (before[schedule_cell(s, t[i].src, t[i].src_slot + k)])
                after[schedule_cell(s, t[i].dst, t[i].dst_slot + k)] = true;
}

void
trail_back(const struct schedule *s, int step, const bool *after, bool *before)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    memcpy(before, after, schedule_cell(s, s->nranks, 0));
    for (size_t i = count; i-- > 0;)
        for (int k = 0; k < t[i].nslots; k++) {
            size_t dst = schedule_cell(s, t[i].dst, t[i].dst_slot + k);
            before[dst] = after[dst] && t[i].op == TRANSFER_REDUCE &&
                          t[i].add_slot == t[i].dst_slot;
        }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++) {
            if (!after[schedule_cell(s, t[i].dst, t[i].dst_slot + k)])
                continue;
            before[schedule_cell(s, t[i].src, t[i].src_slot + k)] = true;
            if (t[i].op == TRANSFER_REDUCE && t[i].add_slot != t[i].dst_slot)
                before[schedule_cell(s, t[i].dst, t[i].add_slot + k)] = true;
        }
}

struct trail *
trail_new(const struct schedule *s, int rank, int slot, int step)
{
    size_t states = (size_t)s->nsteps + 1;
    struct trail *t;

    if (schedule_cell(s, s->nranks, 0) > TRAIL_CELLS_MOST / states)
        return NULL;
    t = mem_new(1, sizeof *t);
    *t = (struct trail){schedule_share(s), rank, slot, step, NULL};
    t->has = mem_new(states * schedule_cell(s, s->nranks, 0), sizeof *t->has);
    *trail_cell(t, step, rank, slot) = true;
    for (int k = step; k > 0; k--)
        trail_back(s, k, trail_cell(t, k, 0, 0), trail_cell(t, k - 1, 0, 0));
    for (int k = step + 1; k <= s->nsteps; k++)
        trail_on(s, k, trail_cell(t, k - 1, 0, 0), trail_cell(t, k, 0, 0));
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
    return *trail_cell(t, step, rank, slot);
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
