/* SPDX-License-Identifier: MIT */
/* The world after a run of an algorithm, computed as in ring_world.h. */
#ifndef TESTS_ALGORITHM_WORLD_H
#define TESTS_ALGORITHM_WORLD_H

#include "coll/coll.h"
#include "ring_world.h"

/* The world after a complete run of an algorithm. */
TAP_UNUSED static struct world *
algorithm_world(const char *name, int n)
{
    const struct algorithm *algorithm;
    struct coll_options o = {.nranks = n, .in_place = true};
    struct schedule *s;
    struct err err;

    if (!coll_find(name, &algorithm, &err) ||
        (s = coll_build(algorithm, &o, &err)) == NULL)
        die("%s: %s", name, err.text);
    return world_of(s, s->nsteps, RING_LOCKSTEP);
}

#endif
