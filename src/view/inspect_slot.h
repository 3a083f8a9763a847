/* SPDX-License-Identifier: MIT */
/* The lines of the inspector about one slot: in which order its sum was added
 * up, and what changed it last. */
#ifndef VIEW_INSPECT_SLOT_H
#define VIEW_INSPECT_SLOT_H

#include "draw/canvas.h"
#include "model/scene.h"

/* Draws the order in which the slot's sum was made. */
void inspect_slot_order(const struct scene *s, struct canvas *c,
                        struct rect area, int rank, int slot);

/* Draws what changed the slot, and when; NULL: nothing so far. */
void inspect_slot_change(const struct scene *s, struct canvas *c,
                         struct rect area, const struct event *change);

#endif
