/* SPDX-License-Identifier: MIT */
/* A run as a Chrome trace, which Perfetto (ui.perfetto.dev) opens. Each rank
 * has a track with every transfer that it received and every wait before one.
 * Arrows lead from the event that produced the data to the transfer that moved
 * it.  All times are measured; the run, and with it the input, begins at 0.
 * Source of the format: "Trace Event Format", the Chromium project.
 *
 *     struct trace *t = trace_new(world);
 *     trace_begin(t, &out);
 *     for (int step = 1; step <= world->nsteps; step++)
 *         trace_step(t, step, &out);
 *     trace_end(t, &out);
 *     trace_free(t);
 */
#ifndef TEXT_TRACE_H
#define TEXT_TRACE_H

#include "base/buf.h"
#include "model/world.h"

struct trace;

/* Borrows the world and changes its position. The world must not grow while
 * the trace exists. */
struct trace *trace_new(struct world *w);
void trace_free(struct trace *t);

/* Append the pieces of one JSON object: first the names of the tracks and the
 * input, then each step in order, then the rest. */
void trace_begin(struct trace *t, struct buf *out);
void trace_step(struct trace *t, int step, struct buf *out);
void trace_end(struct trace *t, struct buf *out);

#endif
