/* SPDX-License-Identifier: MIT */
/* A slot that takes in the data that has just arrived.  Data that is added
 * closes up to what is there, and both become one block, hollow at first; a
 * complete sum flashes, as it is hollow only afterwards.  Data that replaces
 * something pushes it out to the right.  So the two differ without colour.
 *
 *     added        ▐B1▌     ▐A1▌     ▐B1▌ ▐A1▌      A1+B1      ▐A1▌B1▌
 *     replaced     ▐B1▌              A1▌▐B1         ▐A1▌▐      ▐A1▌
 */
#ifndef DRAW_LANDING_H
#define DRAW_LANDING_H

#include "draw/block.h"

/* Draws it over the slot at `at`, whose block shows what it holds in the
 * end. */
void landing_draw(const struct landing *l, const struct block *block,
                  struct canvas *c, struct point at);

#endif
