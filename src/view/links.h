/* SPDX-License-Identifier: MIT */
/* The bytes that were sent over each link so far, as bars.
 *
 *     bytes sent over each link
 *     0▶1 ███░░░ 8 B of 16 B   1▶2 ███░░░ 8 B of 16 B
 */
#ifndef VIEW_LINKS_H
#define VIEW_LINKS_H

#include "view/view.h"

/* The rows that the bars take in an area of this width, with a blank one before
 * them; 0 if there are none, because there are too many ranks. */
int links_rows(const struct scene *s, int width);

void links_draw(const struct scene *s, struct canvas *c, struct rect area);

#endif
