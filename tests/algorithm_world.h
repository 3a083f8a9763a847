/* SPDX-License-Identifier: MIT */
/* The world after a run of an algorithm, computed as in ring_world.h. */
#ifndef TESTS_ALGORITHM_WORLD_H
#define TESTS_ALGORITHM_WORLD_H

#include "ring_world.h"
#include "schedules.h"

/* The world after a complete run of an algorithm, with a drop or no fault. */
TAP_UNUSED static struct world *
faulty_world(const char *name, int n, struct fault fault)
{
    struct schedule *s = build_in_place(name, n);

    return world_with(s, s->nsteps, RING_LOCKSTEP, fault);
}

TAP_UNUSED static struct world *
algorithm_world(const char *name, int n)
{
    return faulty_world(name, n, (struct fault){0});
}

#endif
