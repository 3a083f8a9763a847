/* SPDX-License-Identifier: MIT */
/* A plain run of a schedule, slot by slot, with which tests compare other ways
 * to know what slots hold: in each step every transfer reads what was there
 * before it. */
#ifndef TESTS_PLAIN_RUN_H
#define TESTS_PLAIN_RUN_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schedules.h"

enum { PLAIN_NONE = -1, PLAIN_MIXED = -2 };

struct plain_cell {
    uint64_t ranks; /* whose contributions: a bit for each */
    uint64_t value; /* the sum of their values, which all differ */
    int chunk;      /* PLAIN_NONE: never written; PLAIN_MIXED: of several */
    int twice;      /* the step that added a rank a second time, or 0 */
};

struct plain {
    const struct schedule *s;
    size_t cells;
    struct plain_cell *now, *before; /* the last step */
    bool *written;                   /* in it */
    int fault; /* the first step that read what nobody wrote, or 0 */
};

static inline size_t
plain_at(const struct plain *p, int rank, int slot)
{
    return (size_t)rank * (size_t)p->s->nslots + (size_t)slot;
}

static inline void
plain_init(struct plain *p, const struct schedule *s)
{
    *p = (struct plain){.s = s,
                        .cells = (size_t)s->nranks * (size_t)s->nslots};
    p->now = mem_new(p->cells, sizeof *p->now);
    p->before = mem_new(p->cells, sizeof *p->before);
    p->written = mem_new(p->cells, sizeof *p->written);
    for (size_t i = 0; i < p->cells; i++)
        p->now[i].chunk = PLAIN_NONE;
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region in = schedule_input(s, rank);
        for (int c = 0; c < in.count; c++)
            p->now[plain_at(p, rank, in.first + c)] = (struct plain_cell){
                UINT64_C(1) << rank % 64,
                (uint64_t)(rank + 1) * 1000003 + (uint64_t)c, c, 0};
    }
}

static inline void
plain_done(struct plain *p)
{
    free(p->now);
    free(p->before);
    free(p->written);
}

static inline struct plain_cell
plain_sum(struct plain_cell a, struct plain_cell b, int step)
{
    if (a.chunk == PLAIN_NONE)
        a.chunk = b.chunk;
    else if (b.chunk != PLAIN_NONE && b.chunk != a.chunk)
        a.chunk = PLAIN_MIXED;
    if (a.twice == 0)
        a.twice = a.ranks & b.ranks ? step : b.twice;
    a.ranks |= b.ranks;
    a.value += b.value;
    return a;
}

static inline void
plain_step(struct plain *p, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(p->s, step, &count);

    memcpy(p->before, p->now, p->cells * sizeof *p->now);
    memset(p->written, 0, p->cells * sizeof *p->written);
    for (; count-- > 0; t++)
        for (int k = 0; k < t->nslots; k++) {
            size_t to = plain_at(p, t->dst, t->dst_slot + k);
            struct plain_cell from =
                p->before[plain_at(p, t->src, t->src_slot + k)];
            struct plain_cell base =
                p->written[to]
                    ? p->now[to]
                    : p->before[plain_at(p, t->dst, t->add_slot + k)];
            bool adds = t->op == TRANSFER_REDUCE;
            if (p->fault == 0 && (from.chunk == PLAIN_NONE ||
                                  (adds && base.chunk == PLAIN_NONE)))
                p->fault = step;
            p->now[to] = adds ? plain_sum(base, from, step) : from;
            p->written[to] = true;
        }
}

/* A run up to the end of a step. */
static inline struct plain
plain_run(const struct schedule *s, int steps)
{
    struct plain p;

    plain_init(&p, s);
    for (int step = 1; step <= steps; step++)
        plain_step(&p, step);
    return p;
}

#endif
