/* SPDX-License-Identifier: MIT */
/* Random schedules, and their meaning, computed the plain way: step by step,
 * every transfer reads the state before the step.  They are no collectives,
 * which lowering and execution must not depend on. */
#ifndef TESTS_RANDOM_SCHEDULE_H
#define TESTS_RANDOM_SCHEDULE_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schedules.h"

enum { RANDOM_SLOTS_MAX = 16 }; /* of a transfer */

static inline uint32_t
random_next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static inline int
random_below(uint32_t *seed, int n)
{
    return (int)(random_next(seed) % (uint32_t)n);
}

/* The state of all ranks: whether each slot has a value, and which. */
struct state {
    int nranks, nslots;
    uint64_t *value;
    bool *defined;
};

static inline struct state
state_new(const struct schedule *s)
{
    size_t cells = (size_t)s->nranks * (size_t)s->nslots;
    struct state state = {s->nranks, s->nslots,
                          mem_new(cells, sizeof *state.value),
                          mem_new(cells, sizeof *state.defined)};

    for (int rank = 0; rank < s->nranks; rank++) {
        struct region in = schedule_input(s, rank);
        for (int c = 0; c < in.count; c++) {
            int at = rank * s->nslots + in.first + c;
            state.value[at] = (uint64_t)(rank + 1) * 1000003 + (uint64_t)c;
            state.defined[at] = true;
        }
    }
    return state;
}

static inline void
state_free(struct state *state)
{
    free(state->value);
    free(state->defined);
}

static inline void
state_apply(struct state *state, const struct schedule *s, int step)
{
    size_t cells = (size_t)s->nranks * (size_t)s->nslots;
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);
    uint64_t *old = mem_new(cells, sizeof *old);
    bool *written = mem_new(cells, sizeof *written);

    memcpy(old, state->value, cells * sizeof *old);
    for (size_t i = 0; i < count; i++, t++)
        for (int k = 0; k < t->nslots; k++) {
            int src = t->src * s->nslots + t->src_slot + k;
            int dst = t->dst * s->nslots + t->dst_slot + k;
            int add = t->dst * s->nslots + t->add_slot + k;
            if (t->op == TRANSFER_COPY)
                state->value[dst] = old[src];
            else
                state->value[dst] =
                    (written[dst] ? state->value[dst] : old[add]) + old[src];
            state->defined[dst] = true;
            written[dst] = true;
        }
    free(old);
    free(written);
}

/* Whether a transfer may join a step: it reads only slots that have a value,
 * and its writes do not conflict with those so far (write: 0 none, 1 a COPY,
 * 2 + add). */
static inline bool
random_fits(const struct state *state, const struct transfer *t,
            const int *write)
{
    for (int k = 0; k < t->nslots; k++) {
        int dst = t->dst * state->nslots + t->dst_slot + k;
        int kind = t->op == TRANSFER_COPY ? 1 : 2 + t->add_slot + k;
        if (!state->defined[t->src * state->nslots + t->src_slot + k] ||
            (t->op == TRANSFER_REDUCE &&
             !state->defined[t->dst * state->nslots + t->add_slot + k]) ||
            (write[dst] != 0 && (kind == 1 || write[dst] != kind)))
            return false;
    }
    return true;
}

static inline struct transfer
random_transfer(const struct state *state, uint32_t *seed)
{
    int most = random_below(seed, 4) == 0 ? RANDOM_SLOTS_MAX : 3;
    int nslots = 1 + random_below(seed, most < state->nslots ? most
                                                             : state->nslots);
    int room = state->nslots - nslots + 1;
    struct transfer t = {
        .src = random_below(seed, state->nranks),
        .dst = random_below(seed, state->nranks),
        .src_slot = random_below(seed, room),
        .dst_slot = random_below(seed, room),
        .nslots = nslots,
        .op = random_below(seed, 2) ? TRANSFER_REDUCE : TRANSFER_COPY,
    };

    t.add_slot = t.op == TRANSFER_REDUCE && random_below(seed, 3) == 0
                     ? random_below(seed, room)
                     : t.dst_slot;
    return t;
}

/* A valid schedule of up to 8 ranks and 8 steps; *end is its final state. */
static inline struct schedule *
random_schedule(uint32_t seed, struct state *end)
{
    struct schedule_spec shape = {
        .collective = collective_find("allreduce"),
        .algorithm = "random",
        .nranks = 1 + random_below(&seed, 8),
        .pieces = 1 + random_below(&seed, 4),
        .scratch = random_below(&seed, 3),
        .in_place = random_below(&seed, 2) == 0,
    };
    struct schedule *s = schedule_new(&shape);
    int steps = random_below(&seed, 9);

    *end = state_new(s);
    for (int step = 1; step <= steps; step++) {
        int *write = mem_new((size_t)s->nranks * (size_t)s->nslots,
                             sizeof *write);
        schedule_step(s, "random");
        for (int tries = 0; tries < 3 * s->nranks; tries++) {
            struct transfer t = random_transfer(end, &seed);
            if (!random_fits(end, &t, write))
                continue;
            for (int k = 0; k < t.nslots; k++)
                write[t.dst * s->nslots + t.dst_slot + k] =
                    t.op == TRANSFER_COPY ? 1 : 2 + t.add_slot + k;
            schedule_add(s, t);
        }
        state_apply(end, s, step);
        free(write);
    }
    return s;
}

#endif
