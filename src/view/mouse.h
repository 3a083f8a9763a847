/* SPDX-License-Identifier: MIT */
/* Finds what the mouse points at. */
#ifndef VIEW_MOUSE_H
#define VIEW_MOUSE_H

#include "draw/canvas.h"
#include "model/scene.h"

enum mouse_what { MOUSE_NOTHING, MOUSE_RANK, MOUSE_STEP };

struct mouse_target {
    enum mouse_what what;
    int number; /* of the rank or of the step */
};

/* The target at `at` in a frame of columns x rows. */
struct mouse_target mouse_at(const struct scene *s, int columns, int rows,
                             struct point at);

#endif
