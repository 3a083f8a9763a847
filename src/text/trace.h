/* SPDX-License-Identifier: MIT */
/* A run as a Chrome trace, which Perfetto (ui.perfetto.dev) opens. Each rank
 * has a track with every transfer that it received and every wait before one.
 * Arrows lead from the event that produced the data to the transfer that moved
 * it.  All times are measured; the run, and with it the input, begins at 0.
 * Source of the format: "Trace Event Format", the Chromium project. */
#ifndef TEXT_TRACE_H
#define TEXT_TRACE_H

#include <stdio.h>

#include "base/buf.h"
#include "model/world.h"

/* Appends one JSON object: the names of the tracks and the input, then each
 * step in order, and the divisions of avg.  After each step flush() may write
 * the text to a file and empty it, unless it is NULL.  Changes the world's
 * position. */
void trace_write(struct world *w, struct buf *out,
                 void (*flush)(struct buf *out, FILE *to), FILE *to);

#endif
