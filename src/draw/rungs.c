/* SPDX-License-Identifier: MIT */
#include "draw/rungs.h"

#include <stdlib.h>
#include <string.h>

enum bundle { BY_PAIR, BY_SENDER, BY_RECEIVER, BUNDLES };

void
rung_ends(const struct rung *r, int *first, int *last)
{
    unsigned ranks = r->senders | r->receivers;

    *first = __builtin_ctz(ranks);
    *last = 31 - __builtin_clz(ranks);
}

static bool
shares(const struct rung *r, enum bundle bundle, unsigned src, unsigned dst)
{
    switch (bundle) {
    case BY_SENDER:
        return r->senders == src;
    case BY_RECEIVER:
        return r->receivers == dst;
    default:
        return (r->senders | r->receivers) == (src | dst);
    }
}

static void
add(struct rungs *r, enum bundle bundle, const struct transfer *t)
{
    unsigned src = 1u << t->src, dst = 1u << t->dst;
    int i = 0;

    while (i < r->count && !shares(&r->rungs[i], bundle, src, dst))
        i++;
    if (i == r->count)
        r->rungs[r->count++] = (struct rung){0};
    r->rungs[i].senders |= (uint16_t)src;
    r->rungs[i].receivers |= (uint16_t)dst;
}

static void
collect(const struct schedule *s, int step, enum bundle bundle,
        struct rungs *r)
{
    size_t count;
    const struct transfer *t = schedule_transfers(s, step, &count);

    *r = (struct rungs){0};
    for (size_t i = 0; i < count; i++)
        if (t[i].src != t[i].dst)
            add(r, bundle, &t[i]);
}

/* By their upper ends; of those with the same, the short ones first; of those
 * of the same length, by their first sender. */
static int
compare(const void *a, const void *b)
{
    const struct rung *left = a, *right = b;
    int first_a, last_a, first_b, last_b;

    rung_ends(left, &first_a, &last_a);
    rung_ends(right, &first_b, &last_b);
    if (first_a != first_b || last_a != last_b)
        return first_a != first_b ? first_a - first_b : last_a - last_b;
    return __builtin_ctz(left->senders) - __builtin_ctz(right->senders);
}

/* Gives each rung the first column in which it touches no other. */
static void
set_columns(struct rungs *r)
{
    int below[RUNGS_MOST]; /* by column: the first free rank */

    qsort(r->rungs, (size_t)r->count, sizeof r->rungs[0], compare);
    for (int i = 0; i < r->count; i++) {
        int first, last, column = 0;
        rung_ends(&r->rungs[i], &first, &last);
        while (column < r->columns && below[column] > first)
            column++;
        if (column == r->columns)
            r->columns++;
        below[column] = last + 1;
        r->rungs[i].column = column;
    }
}

void
rungs_of(const struct schedule *s, int step, struct rungs *r)
{
    struct rungs other;

    collect(s, step, BY_PAIR, r);
    for (int bundle = BY_SENDER; bundle < BUNDLES; bundle++) {
        collect(s, step, bundle, &other);
        if (other.count < r->count)
            *r = other;
    }
    set_columns(r);
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
        if (here == 0)
            continue;
        if (distance != 0 && here != distance)
            return 0;
        distance = here;
    }
    return distance;
}
