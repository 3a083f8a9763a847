/* SPDX-License-Identifier: MIT */
/* What is at a place on the screen: for a mouse. */
#ifndef VIEW_HIT_H
#define VIEW_HIT_H

#include "view/scene.h"

enum hit_what { HIT_NOTHING, HIT_RANK, HIT_STEP };

struct hit {
    enum hit_what what;
    int number; /* of the rank, of the step */
};

/* In a frame of that size. */
struct hit hit_at(const struct scene *s, int columns, int rows,
                  struct point at);

#endif
