/* SPDX-License-Identifier: MIT */
/* A time axis: maps moments of a run to columns.
 *
 * A run in lockstep consists of short bursts, with pauses while the user looks
 * at the screen.  Pauses in which all ranks are idle are cut out.  They divide
 * the axis into spans; the width of a span is proportional to its number of
 * steps, and each span has its own scale.  A run without such pauses is one
 * span.  A run with too many steps for the width is divided into pages, and the
 * axis shows one page.  Space is reserved for future steps. */
#ifndef DRAW_AXIS_H
#define DRAW_AXIS_H

#include "model/world.h"

enum { AXIS_STEP_COLUMNS = 4, AXIS_SPANS_MOST = 64 };

struct span {
    int64_t begin_ns, end_ns;
    int x, width;    /* columns; x counts from the left end of the axis */
    int first, last; /* steps */
};

struct axis {
    int width;
    int first, last; /* steps on the page */
    int nspans;
    struct span spans[AXIS_SPANS_MOST];
};

/* The axis for the page that contains `step`. It is `width` columns wide, and
 * each step gets at least AXIS_STEP_COLUMNS of them. */
struct axis axis_of(const struct world *w, int step, int width);

/* The column of a moment within a span. */
int axis_column(const struct span *span, int64_t ns);

/* Sets *first and *last to the columns of the part of begin_ns .. end_ns that
 * lies in the span, at least one column. Returns false if it lies outside. */
bool axis_columns(const struct span *span, int64_t begin_ns, int64_t end_ns,
                  int *first, int *last);

#endif
