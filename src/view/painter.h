/* SPDX-License-Identifier: MIT */
/* The painter draws places (view/places.h).  It is the only code that knows
 * what a slot looks like: as it is at a step, taking in data, wrong, lacking
 * data, asked about, followed, still to come; and what data looks like on its
 * way.
 *
 *     ╭─ GPU 0 ─────────╮      0  the slot's number
 *     │0  A0            │      +  this step added to the slot
 *     │1+ A1+C1         │      =  this step replaced its data
 *     │2  A2           ›│      ›  the next step sends it
 *     ╰─────────────────╯      !  it is wrong
 *
 * If there are several hosts, the upper line also names the rank's host.  A
 * road that carries data in the scene's step is thick, with an arrowhead at the
 * receiver; roads of steps that are still to come are dotted.  If all ranks
 * send to all others, only what the selected rank sends is drawn so. */
#ifndef VIEW_PAINTER_H
#define VIEW_PAINTER_H

#include "view/places.h"
#include "view/view.h"

/* What the signs of a picture of boxes mean. */
extern const struct symbol painter_symbols[];

void painter_draw(const struct places *p, struct canvas *c, struct rect area);

#endif
