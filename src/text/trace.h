/* SPDX-License-Identifier: MIT */
/* A run as a Chrome trace, which Perfetto (ui.perfetto.dev) opens: a track a
 * rank, on it every transfer that the rank received and every wait before one,
 * and arrows from where data was made to where it went.  All times are those
 * that were measured; a rank has its input at 0, when the run begins.
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

/* The world is borrowed and moved about; it must not grow meanwhile. */
struct trace *trace_new(struct world *w);
void trace_free(struct trace *t);

/* Pieces of one JSON object, to be written one after another: the names of
 * the tracks and the input, each step in order, the rest. */
void trace_begin(struct trace *t, struct buf *out);
void trace_step(struct trace *t, int step, struct buf *out);
void trace_end(struct trace *t, struct buf *out);

#endif
