/* SPDX-License-Identifier: MIT */
#include "schedule/outlook.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schedule/collective.h"
#include "schedule/trail.h"

static struct outlook_slot *
step_state(const struct outlook *o, int step)
{
    return o->slots + (size_t)step * schedule_cell(o->schedule,
                                                   o->schedule->nranks, 0);
}

static struct outlook_slot *
state_slot(const struct outlook *o, struct outlook_slot *at, int rank, int slot)
{
    return at + schedule_cell(o->schedule, rank, slot);
}

static void
sum_slots(struct outlook_slot *sum, const struct outlook_slot *more)
{
    if (sum->ranks == 0 || (more->ranks != 0 && sum->chunk != more->chunk))
        sum->chunk = OUTLOOK_MIXED;
    sum->ranks |= more->ranks;
}

/* A slot first becomes what is copied to it, or what a reduction adds to; then
 * sums are added.  The first pass goes backwards, so that a copy counts and not
 * what is added to it. */
static void
run_step(struct outlook *o, int step)
{
    struct outlook_slot *before = step_state(o, step - 1);
    struct outlook_slot *after = step_state(o, step);
    size_t count;
    const struct transfer *t = schedule_transfers(o->schedule, step, &count);

    memcpy(after, before, (size_t)(after - before) * sizeof *after);
    for (size_t i = count; i-- > 0;)
        for (int k = 0; k < t[i].nslots; k++)
            *state_slot(o, after, t[i].dst, t[i].dst_slot + k) =
                t[i].op == TRANSFER_COPY
                    ? *state_slot(o, before, t[i].src, t[i].src_slot + k)
                    : *state_slot(o, before, t[i].dst, t[i].add_slot + k);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots && t[i].op == TRANSFER_REDUCE; k++)
            sum_slots(state_slot(o, after, t[i].dst, t[i].dst_slot + k),
                      state_slot(o, before, t[i].src, t[i].src_slot + k));
}

/* Goes back from the outputs, which are needed in the end, to the input. */
static void
find_needed(struct outlook *o)
{
    const struct schedule *s = o->schedule;
    size_t cells = schedule_cell(s, s->nranks, 0);
    OWN_MEMORY bool *after = mem_new(cells, sizeof *after);
    OWN_MEMORY bool *before = mem_new(cells, sizeof *before);
    bool *other;

    for (int rank = 0; rank < s->nranks; rank++) {
        struct region output = schedule_output(s, rank);
        memset(after + schedule_cell(s, rank, output.first), true,
               (size_t)output.count);
    }
    for (int step = s->nsteps; step >= 0; step--) {
        for (size_t i = 0; i < cells; i++)
            step_state(o, step)[i].needed = after[i];
        trail_back(s, step, after, before);
        other = before;
        before = after;
        after = other;
    }
}

static struct outlook_most
find_most(const struct outlook *o, int step)
{
    struct outlook_most most = {0};

    for (int rank = 0; rank < o->schedule->nranks; rank++) {
        int slots = 0;
        for (int k = 0; k < o->schedule->nslots; k++) {
            const struct outlook_slot *slot = outlook_slot(o, step, rank, k);
            int parts = __builtin_popcount(slot->ranks);
            slots += slot->needed;
            if (slot->needed && parts < schedule_members(o->schedule) &&
                parts > most.parts)
                most.parts = parts;
        }
        if (slots > most.slots)
            most.slots = slots;
    }
    return most;
}

struct outlook *
outlook_new(const struct schedule *s)
{
    size_t states = (size_t)s->nsteps + 1;
    size_t cells = schedule_cell(s, s->nranks, 0);
    struct outlook *o;

    if (schedule_members(s) > OUTLOOK_RANKS_MOST ||
        cells > OUTLOOK_CELLS_MOST / states)
        return NULL;
    o = mem_new(1, sizeof *o);
    o->schedule = s;
    o->slots = mem_new(states * cells, sizeof *o->slots);
    o->most = mem_new(states, sizeof *o->most);
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region input = schedule_input(s, rank);
        for (int c = 0; c < input.count; c++)
            if (schedule_has_chunk(s, schedule_id(s, rank, c)))
                *state_slot(o, step_state(o, 0), rank, input.first + c) =
                    (struct outlook_slot){(uint16_t)(1u << rank), (uint16_t)c,
                                          false};
    }
    for (int step = 1; step <= s->nsteps; step++)
        run_step(o, step);
    find_needed(o);
    for (int step = 0; step <= s->nsteps; step++)
        o->most[step] = find_most(o, step);
    return o;
}

void
outlook_free(struct outlook *o)
{
    if (o == NULL)
        return;
    free(o->slots);
    free(o->most);
    free(o);
}

const struct outlook_slot *
outlook_slot(const struct outlook *o, int step, int rank, int slot)
{
    return state_slot(o, step_state(o, step), rank, slot);
}

void
outlook_name(const struct outlook *o, int step, int rank, int slot,
             struct buf *out)
{
    const struct outlook_slot *data = outlook_slot(o, step, rank, slot);
    char letter[LABEL_RANK_MAX];
    size_t before = out->length;

    for (int from = 0; from < o->schedule->nranks; from++)
        if (data->ranks >> from & 1)
            buf_addf(out, "%s%s%d", out->length > before ? "+" : "",
                     label_rank(from, letter), data->chunk);
}

bool
outlook_needs(const struct outlook *o, int step, int rank)
{
    for (int slot = 0; slot < o->schedule->nslots; slot++)
        if (outlook_slot(o, step, rank, slot)->needed)
            return true;
    return false;
}
