/* SPDX-License-Identifier: MIT */
#include "schedule/walk.h"

#include <stdlib.h>

#include "base/mem.h"

/* The chunk in every slot of every rank before step 1. */
static int *
first_chunks(const struct schedule *s)
{
    int *chunks = mem_new((size_t)s->nranks * (size_t)s->nslots,
                          sizeof *chunks);

    for (int rank = 0; rank < s->nranks; rank++) {
        struct region in = schedule_input(s, rank);
        for (int slot = 0; slot < s->nslots; slot++)
            chunks[(size_t)rank * (size_t)s->nslots + (size_t)slot] =
                region_has(in, slot) ? slot - in.first
                                     : schedule_slot_room(s, rank, slot);
    }
    return chunks;
}

static size_t
most_slots_a_step(const struct schedule *s)
{
    size_t most = 0;

    for (int step = 1; step <= s->nsteps; step++) {
        size_t count, slots = 0;
        const struct transfer *t = schedule_transfers(s, step, &count);
        for (size_t i = 0; i < count; i++)
            slots += (size_t)t[i].nslots;
        most = slots > most ? slots : most;
    }
    return most;
}

/* All transfers of a step read before any of them writes. */
void
schedule_walk(const struct schedule *s, walk_fn *fn, void *state)
{
    size_t nslots = (size_t)s->nslots;
    int *chunks = first_chunks(s);
    int *moved = mem_new(most_slots_a_step(s), sizeof *moved);

    for (int step = 1; step <= s->nsteps; step++) {
        size_t count;
        const struct transfer *t = schedule_transfers(s, step, &count);
        int *next = moved;
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < t[i].nslots; k++) {
                *next = chunks[(size_t)t[i].src * nslots +
                               (size_t)(t[i].src_slot + k)];
                fn(state, step, &t[i], k, *next++);
            }
        next = moved;
        for (size_t i = 0; i < count; i++)
            for (int k = 0; k < t[i].nslots; k++)
                chunks[(size_t)t[i].dst * nslots +
                       (size_t)(t[i].dst_slot + k)] = *next++;
    }
    free(chunks);
    free(moved);
}
