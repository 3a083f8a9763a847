/* SPDX-License-Identifier: MIT */
#include "draw/rungs.h"

#include <stdlib.h>

/* What transfers on one rung have in common. */
enum bundle { BY_PAIR, BY_SENDER, BY_RECEIVER, BUNDLES };

/* Collects the rungs of a step in no order. */
static struct rungs
collect(const struct schedule *s, int step, enum bundle bundle)
{
    struct rungs r = {0};
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    for (size_t i = 0; i < count; i++) {
        unsigned src = 1u << t[i].src, dst = 1u << t[i].dst;
        struct rung *rung = r.rungs, *end = r.rungs + r.count;
        if (src == dst)
            continue;
        while (rung < end &&
               (bundle == BY_SENDER     ? rung->senders != src
                : bundle == BY_RECEIVER ? rung->receivers != dst
                                        : (rung->senders | rung->receivers) !=
                                              (src | dst)))
            rung++;
        r.count += rung == end;
        rung->senders |= (uint16_t)src;
        rung->receivers |= (uint16_t)dst;
        rung->first = __builtin_ctz(rung->senders | rung->receivers);
        rung->last = 31 - __builtin_clz(rung->senders | rung->receivers);
    }
    return r;
}

/* By their upper ends; of those with the same, the short ones first; of those
 * of the same length, by their first sender. */
static int
compare(const void *a, const void *b)
{
    const struct rung *left = a, *right = b;

    return left->first != right->first ? left->first - right->first
           : left->last != right->last ? left->last - right->last
                                       : __builtin_ctz(left->senders) -
                                             __builtin_ctz(right->senders);
}

void
rungs_of(const struct schedule *s, int step, struct rungs *r)
{
    int below[RUNGS_MOST]; /* by column: the first free rank */

    *r = collect(s, step, BY_PAIR);
    for (int bundle = BY_SENDER; bundle < BUNDLES; bundle++) {
        struct rungs other = collect(s, step, (enum bundle)bundle);
        if (other.count < r->count)
            *r = other;
    }
    qsort(r->rungs, (size_t)r->count, sizeof r->rungs[0], compare);
    for (int i = 0; i < r->count; i++) {
        struct rung *rung = &r->rungs[i];
        while (rung->column < r->columns && below[rung->column] > rung->first)
            rung->column++; /* to the first in which it touches no other */
        r->columns += rung->column == r->columns;
        below[rung->column] = rung->last + 1;
    }
}

const struct rung *
rungs_find(const struct rungs *r, int src, int dst)
{
    for (int i = 0; i < r->count; i++)
        if (r->rungs[i].senders >> src & 1 && r->rungs[i].receivers >> dst & 1)
            return &r->rungs[i];
    return NULL;
}

int
rungs_distance(const struct schedule *s, int step)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);
    int distance = 0;

    for (size_t i = 0; i < count; i++) {
        int up = (t[i].dst - t[i].src + s->nranks) % s->nranks;
        int here = up < s->nranks - up ? up : s->nranks - up;
        if (here != 0 && distance != 0 && here != distance)
            return 0;
        distance = here != 0 ? here : distance;
    }
    return distance;
}
