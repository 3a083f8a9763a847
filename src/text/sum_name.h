/* SPDX-License-Identifier: MIT */
/* A short name of the data in a slot: the letters of the ranks that
 * contributed to it, then the chunk. */
#ifndef TEXT_SUM_NAME_H
#define TEXT_SUM_NAME_H

#include "base/buf.h"
#include "model/world.h"

/* Appends "A1" or "ACD1" if that fits in `width` columns, else the range
 * "A-F1", else the number of contributions, "6/8". Appends nothing for an empty
 * slot. The name begins with an exclamation mark if a contribution is there
 * twice or the sum mixes chunks. */
void sum_name(const struct world *w, const uint64_t *row, int width,
              struct buf *out);

#endif
