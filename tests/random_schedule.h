/* SPDX-License-Identifier: MIT */
/* Random schedules.  They are no collectives, which lowering and execution must
 * not depend on. */
#ifndef TESTS_RANDOM_SCHEDULE_H
#define TESTS_RANDOM_SCHEDULE_H

#include "plain_run.h"

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

/* Whether a transfer may join a step: it reads only slots that have a value,
 * and its writes do not conflict with those so far (write: 0 none, 1 a COPY,
 * 2 + add). */
static inline bool
random_fits(const struct plain *p, const struct transfer *t, const int *write)
{
    for (int k = 0; k < t->nslots; k++) {
        size_t src = plain_at(p, t->src, t->src_slot + k);
        size_t dst = plain_at(p, t->dst, t->dst_slot + k);
        size_t add = plain_at(p, t->dst, t->add_slot + k);
        int kind = t->op == TRANSFER_COPY ? 1 : 2 + t->add_slot + k;
        if (p->now[src].chunk == PLAIN_NONE ||
            (t->op == TRANSFER_REDUCE && p->now[add].chunk == PLAIN_NONE) ||
            (write[dst] != 0 && (kind == 1 || write[dst] != kind)))
            return false;
    }
    return true;
}

/* A transfer of up to `most` slots. */
static inline struct transfer
random_transfer(const struct schedule *s, int most, uint32_t *seed)
{
    int nslots = 1 + random_below(seed, most < s->nslots ? most : s->nslots);
    int room = s->nslots - nslots + 1;
    struct transfer t = {
        .src = random_below(seed, s->nranks),
        .dst = random_below(seed, s->nranks),
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

/* A valid schedule of up to 8 ranks and 8 steps. */
static inline struct schedule *
random_schedule(uint32_t seed)
{
    struct schedule *s = schedule_new(&(struct schedule_spec){
        .collective = collective_find("allreduce"), .algorithm = "random",
        .nranks = 1 + random_below(&seed, 8),
        .pieces = 1 + random_below(&seed, 4),
        .scratch = random_below(&seed, 3),
        .in_place = random_below(&seed, 2) == 0});
    int steps = random_below(&seed, 9);
    OWN(plain) p = plain_run(s, 0);

    for (int step = 1; step <= steps; step++) {
        int *write = mem_new(p.cells, sizeof *write);
        schedule_step(s, "random");
        for (int tries = 0; tries < 3 * s->nranks; tries++) {
            struct transfer t = random_transfer(
                s, random_below(&seed, 4) == 0 ? RANDOM_SLOTS_MAX : 3, &seed);
            if (!random_fits(&p, &t, write))
                continue;
            for (int k = 0; k < t.nslots; k++)
                write[plain_at(&p, t.dst, t.dst_slot + k)] =
                    t.op == TRANSFER_COPY ? 1 : 2 + t.add_slot + k;
            schedule_add(s, t);
        }
        plain_step(&p, step);
        free(write);
    }
    return s;
}

#endif
