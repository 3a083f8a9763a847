/* SPDX-License-Identifier: MIT */
/* The name of what is in a slot, in few columns: letters of the ranks whose
 * data it is, then the chunk. */
#ifndef TEXT_SUM_NAME_H
#define TEXT_SUM_NAME_H

#include "base/buf.h"
#include "model/world.h"

/* Appends "A1", "ACD1", "A-F1", or where those take more than `width` columns
 * how many of how many contributions, "6/8"; nothing for an empty slot.  A sum
 * with a contribution that is there twice, or over several chunks, begins with
 * an exclamation mark. */
void sum_name(const struct world *w, const uint64_t *row, int width,
              struct buf *out);

#endif
