/* SPDX-License-Identifier: MIT */
/* The whole screen: the view and what is always around it. */
#ifndef VIEW_FRAME_H
#define VIEW_FRAME_H

#include "draw/layout.h"
#include "model/scene.h"

/* Draws the scene on all of the canvas.  On one that is too small it says
 * what size is needed; without a schedule, that the run is being prepared. */
void frame_draw(const struct scene *s, struct canvas *c);

#endif
