/* SPDX-License-Identifier: MIT */
/* What stands around the table: the ranks' names to the left, the titles of
 * the parts above, and the numbers of the columns. */
#ifndef VIEW_TABLE_HEADS_H
#define VIEW_TABLE_HEADS_H

#include "view/table_layout.h"

void table_heads_draw(const struct table *t, const struct scene *s,
                      struct canvas *c);

#endif
