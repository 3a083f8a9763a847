/* SPDX-License-Identifier: MIT */
#include "schedule/collective.h"

#include <stddef.h>
#include <string.h>

#include "base/text.h"

static struct promise
sum_of_the_same(int nranks, int pieces, int rank, int chunk)
{
    (void)nranks, (void)pieces, (void)rank;
    return (struct promise){PROMISE_ALL, chunk};
}

/* P. Patarasuk, X. Yuan, JPDC 69 (2009), theorem 1. */
static double
least_of_allreduce(int nranks)
{
    return 2.0 * (nranks - 1) / nranks;
}

static const struct collective collectives[] = {
    {"allreduce", N_("all-reduce"), false, true, UNITS_ONE, UNITS_ONE,
     sum_of_the_same, least_of_allreduce, "2(N-1)/N",
     N_("every rank ends with the sum of all ranks' inputs")},
};

const struct collective *
collective_at(int index)
{
    const int count = sizeof collectives / sizeof collectives[0];

    return index >= 0 && index < count ? &collectives[index] : NULL;
}

const struct collective *
collective_find(const char *name)
{
    const struct collective *c;

    for (int i = 0; (c = collective_at(i)) != NULL; i++)
        if (strcmp(c->name, name) == 0)
            return c;
    return NULL;
}

int
collective_units(enum collective_units units, int nranks)
{
    return units == UNITS_RANKS ? nranks : 1;
}
