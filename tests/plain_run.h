/* SPDX-License-Identifier: MIT */
/* A plain run of a schedule on sets of contributions, for tests that compare
 * other ways to know what slots hold. */
#ifndef TESTS_PLAIN_RUN_H
#define TESTS_PLAIN_RUN_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "schedule/schedule.h"

struct plain_set {
    unsigned ranks;
    int chunk;
};

struct plain {
    const struct schedule *s;
    size_t cells;
    struct plain_set *now, *before;
};

static size_t
plain_cell(const struct plain *p, int rank, int slot)
{
    return (size_t)(rank * p->s->nslots + slot);
}

static void
plain_init(struct plain *p, const struct schedule *s)
{
    p->s = s;
    p->cells = (size_t)(s->nranks * s->nslots);
    p->now = mem_new(p->cells, sizeof *p->now);
    p->before = mem_new(p->cells, sizeof *p->before);
    for (int rank = 0; rank < s->nranks; rank++) {
        struct region in = schedule_input(s, rank);
        for (int c = 0; c < in.count; c++)
            p->now[plain_cell(p, rank, in.first + c)] =
                (struct plain_set){1u << rank, c};
    }
}

static void
plain_done(struct plain *p)
{
    free(p->now);
    free(p->before);
}

static void
plain_step(struct plain *p, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(p->s, step, &count);

    memcpy(p->before, p->now, p->cells * sizeof *p->now);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < t[i].nslots; k++) {
            const struct plain_set *from =
                &p->before[plain_cell(p, t[i].src, t[i].src_slot + k)];
            struct plain_set *to =
                &p->now[plain_cell(p, t[i].dst, t[i].dst_slot + k)];
            bool again = false;
            for (size_t j = 0; j < i; j++)
                again |= t[j].dst == t[i].dst &&
                         t[j].dst_slot <= t[i].dst_slot + k &&
                         t[j].dst_slot + t[j].nslots > t[i].dst_slot + k;
            if (t[i].op == TRANSFER_COPY) {
                *to = *from;
                continue;
            }
            if (!again)
                *to = p->before[plain_cell(p, t[i].dst, t[i].add_slot + k)];
            to->ranks |= from->ranks;
        }
}

#endif
