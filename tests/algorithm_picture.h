/* SPDX-License-Identifier: MIT */
/* The picture of an algorithm after a step, in a view of picture.h. */
#ifndef TESTS_ALGORITHM_PICTURE_H
#define TESTS_ALGORITHM_PICTURE_H

#include "algorithm_world.h"
#include "picture.h"

static void
check_algorithm(int view, const char *algorithm, int n, int step,
                struct point size, const char *name, const char *expected,
                const char *what)
{
    struct world *w = algorithm_world(algorithm, n);
    struct scene s = {.world = w, .view = view};

    world_seek(w, step);
    check_picture(&s, size, name, expected, what);
    world_free(w);
}

#endif
