/* SPDX-License-Identifier: MIT */
/* What a number of a chart counts, and the number in words. */
#ifndef TEXT_UNIT_H
#define TEXT_UNIT_H

#include <stdbool.h>

#include "base/buf.h"

/* Bytes, ranks, microseconds, GB/s; or a number as it is. */
enum unit { UNIT_NUMBER, UNIT_BYTES, UNIT_RANKS, UNIT_TIME, UNIT_RATE };

/* Appends a value: "1 KiB", "21.3 us", "0.25".  `brief` leaves out what the
 * ticks of an axis do not need. */
void unit_add(enum unit unit, double value, bool brief, struct buf *out);

#endif
