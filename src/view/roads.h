/* SPDX-License-Identifier: MIT */
/* The roads of a picture, and the data on them. */
#ifndef VIEW_ROADS_H
#define VIEW_ROADS_H

#include "view/places.h"

/* Draw the roads with their arrowheads and, at rest, the names of the data that
 * has moved; then, in flight, the data on its way. */
void roads_draw(const struct places *p, struct canvas *c, struct rect area);
void roads_draw_flights(const struct places *p, struct canvas *c);

#endif
