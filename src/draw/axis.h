/* SPDX-License-Identifier: MIT */
/* An axis of time: which moments of a run stand in which columns.
 *
 * A run in lockstep is short bursts with a person's pauses between them.
 * Pauses in which no rank does anything are cut out, which divides the axis
 * into spans, each as wide as its number of steps and with a scale of its
 * own; a run without such pauses is one span.  An axis of many steps is a
 * page of them.  Steps that are not known yet have their place already. */
#ifndef DRAW_AXIS_H
#define DRAW_AXIS_H

#include "model/world.h"

enum { AXIS_STEP_COLUMNS = 4, AXIS_SPANS_MOST = 64 };

struct span {
    int64_t begin_ns, end_ns;
    int x, width; /* columns from the axis's left end */
    int first, last; /* steps */
};

struct axis {
    int width;
    int first, last; /* steps of the page */
    int nspans;
    struct span spans[AXIS_SPANS_MOST];
};

/* The page that `step` is on, in `width` columns; each step has at least
 * AXIS_STEP_COLUMNS of them. */
struct axis axis_of(const struct world *w, int step, int width);

/* The column of a moment of a span. */
int axis_column(const struct span *span, int64_t ns);

/* The columns of what happened from begin_ns to end_ns, as far as it lies in
 * the span: at least one. False where nothing does. */
bool axis_columns(const struct span *span, int64_t begin_ns, int64_t end_ns,
                  int *first, int *last);

#endif
